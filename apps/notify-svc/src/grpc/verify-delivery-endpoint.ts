import { tokenMatches } from "@platform/kit/process/secrets";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { VerifyDeliveryEndpointRequest } from "@platform/proto/notify/v1/notify_service";
import { verify } from "../domain/endpoint.ts";
import { changeChannelEndpoint } from "./change-channel-endpoint.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/** Verifies a channel endpoint by the token that arrived through its channel. */
export const verifyDeliveryEndpoint = (deps: RpcDeps) => (request: VerifyDeliveryEndpointRequest, call: ServerCall) => {
  const now = deps.clock();
  const matches = (hash: string): boolean => tokenMatches(request.token, hash);
  return changeChannelEndpoint(deps, call, request.endpointId, (current) => verify(current, matches, now), now);
};
