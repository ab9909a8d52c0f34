import { requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import type { GetDeliveryEndpointRequest } from "@platform/proto/notify/v1/notify_service";
import { encodeEndpoint } from "./encode-endpoint.ts";
import { endpointNotFound } from "./failures.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/** Reads a channel endpoint. The id of an email endpoint is treated as unknown. */
export const getDeliveryEndpoint =
  ({ stores }: RpcDeps) =>
  async (request: GetDeliveryEndpointRequest, call: ServerCall) => {
    const endpoint = await stores.endpoints.find(requireProjectClient(call).id, request.endpointId);
    if (endpoint === null || endpoint.channel === "email") throw endpointNotFound();
    return { endpoint: encodeEndpoint(endpoint) };
  };
