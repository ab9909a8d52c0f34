import type { Keyring } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireIdempotency, requireProjectClient } from "@platform/kit/rpc/server";
import { checkOutboundUrl, OutboundRefused, outboundPolicyOf } from "@platform/kit/web/outbound";
import { isSigningSecret } from "@platform/kit/web/webhooks";
import type { ScheduledOperationService } from "@platform/proto/events/v1/events_service";
import type { ScheduleModels } from "../store/scheduled-operation-model.ts";
import { findRegistered, registerOperation } from "../store/scheduled-operations.ts";

/** Registers an endpoint of the client that calls, if the client's environment may call the endpoint. */
export function registerScheduledOperation(
  models: ScheduleModels,
  options: { keyring: Keyring; outboundAllow: readonly string[]; clock: () => Date },
): Implementation<typeof ScheduledOperationService>["registerScheduledOperation"] {
  return async ({ name, url, secret, maxAttempts }, call) => {
    const client = requireProjectClient(call);
    const claim = requireIdempotency(call);
    if (!isSigningSecret(secret)) throw secretNotReadable();
    try {
      checkOutboundUrl(url, outboundPolicyOf(client.environment, options.outboundAllow));
    } catch (error) {
      if (!(error instanceof OutboundRefused)) throw error;
      // A repeated request gets the first response, even if an operator has changed the allowed addresses in the
      // meantime.
      const earlier = await findRegistered(models, client.id, claim);
      if (earlier !== null) return { ...earlier, replayed: true };
      throw urlNotAllowed(error);
    }
    const registration = { environment: client.environment, name, url, secret, max_attempts: maxAttempts };
    return registerOperation(models, options.keyring, client.id, registration, claim, options.clock());
  };
}

function urlNotAllowed({ reason }: OutboundRefused): ServiceError {
  const meaning = {
    url_malformed: "it is no URL with a host",
    scheme_not_allowed: "it must be https (http only to loopback, in development and sandbox)",
    credentials_in_url: "it must hold no user name and no password",
    port_not_allowed: "outside development and sandbox the port must be 443 or 8443",
    address_not_allowed: "it leads to an address that is not public",
  }[reason];
  return new ServiceError("scheduled_url_not_allowed", `This url cannot be called: ${meaning}.`, {
    details: { reason },
  });
}

function secretNotReadable(): ServiceError {
  const message = "a secret that starts with whsec_ must go on in base64";
  return new ServiceError("contract_violation", "The request does not match the contract.", {
    details: { violations: [{ path: "/secret", code: "invalid_format", message }] },
  });
}
