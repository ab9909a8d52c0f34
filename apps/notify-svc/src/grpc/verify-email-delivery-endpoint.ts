import { tokenMatches } from "@platform/kit/process/secrets";
import { requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import type { VerifyEmailDeliveryEndpointRequest } from "@platform/proto/notify/v1/notify_service";
import { verify } from "../domain/endpoint.ts";
import { changedEndpoint } from "./encode-endpoint.ts";
import { endpointNotFound } from "./failures.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/** Verifies an email endpoint. The id of a channel endpoint is treated as unknown. */
export const verifyEmailDeliveryEndpoint =
  ({ stores, clock }: RpcDeps) =>
  async (request: VerifyEmailDeliveryEndpointRequest, call: ServerCall) => {
    const client = requireProjectClient(call);
    const now = clock();
    const changed = await stores.endpoints.change(
      client.id,
      request.endpointId,
      (current) => {
        if (current.channel !== "email") throw endpointNotFound();
        return verify(current, (hash) => tokenMatches(request.token, hash), now);
      },
      { by: "project", correlationId: call.correlationId },
      now,
    );
    const endpoint = changedEndpoint(changed);
    return { id: endpoint.id, status: endpoint.status };
  };
