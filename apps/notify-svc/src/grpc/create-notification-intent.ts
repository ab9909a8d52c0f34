import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { CreateNotificationIntentRequest } from "@platform/proto/notify/v1/notify_service";
import { takesMarketing } from "../domain/suppression.ts";
import { acceptIntent } from "./accept-intent.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/**
 * Accepts an email. An email with a marketing purpose gets a one-click unsubscribe link. Once the person has used
 * that link, such emails are rejected.
 */
export const createNotificationIntent =
  (deps: RpcDeps) => (request: CreateNotificationIntentRequest, call: ServerCall) => {
    const purpose = request.marketingPurpose ?? null;
    return acceptIntent(
      deps,
      request,
      {
        keyScope: "email",
        takes: (channel) => channel === "email",
        purpose,
        canUnsubscribe: purpose !== null,
        assertConsent: (endpoint) => {
          if (purpose === null || takesMarketing(endpoint, purpose)) return;
          throw new ServiceError("consent_withdrawn", "The recipient has unsubscribed from this purpose.");
        },
      },
      call,
    );
  };
