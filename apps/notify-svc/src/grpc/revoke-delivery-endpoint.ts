import type { ServerCall } from "@platform/kit/rpc/server";
import type { RevokeDeliveryEndpointRequest } from "@platform/proto/notify/v1/notify_service";
import { revoke } from "../domain/endpoint.ts";
import { changeChannelEndpoint } from "./change-channel-endpoint.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/** Revokes a channel endpoint. Queued deliveries to it are not sent. */
export const revokeDeliveryEndpoint = (deps: RpcDeps) => (request: RevokeDeliveryEndpointRequest, call: ServerCall) =>
  changeChannelEndpoint(deps, call, request.endpointId, (current) => revoke(current), deps.clock());
