import type { ServerCall } from "@platform/kit/rpc/server";
import type { SetDeliveryConsentRequest } from "@platform/proto/notify/v1/notify_service";
import { setConsent } from "../domain/endpoint.ts";
import { changeChannelEndpoint } from "./change-channel-endpoint.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/** Grants or withdraws consent. Queued deliveries for a withdrawn purpose are not sent. */
export const setDeliveryConsent = (deps: RpcDeps) => (request: SetDeliveryConsentRequest, call: ServerCall) =>
  changeChannelEndpoint(
    deps,
    call,
    request.endpointId,
    (current) => setConsent(current, request.purpose, request.granted),
    deps.clock(),
  );
