import { requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import type { DeliveryEndpoint, EndpointChange } from "../domain/endpoint.ts";
import { changedEndpoint, encodeEndpoint } from "./encode-endpoint.ts";
import { endpointNotFound } from "./failures.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/** Changes a channel endpoint and returns it. The id of an email endpoint is treated as unknown. */
export async function changeChannelEndpoint(
  { stores }: RpcDeps,
  call: ServerCall,
  endpointId: string,
  decide: (current: DeliveryEndpoint) => EndpointChange,
  now: Date,
) {
  const decideForChannel = (current: DeliveryEndpoint): EndpointChange => {
    if (current.channel === "email") throw endpointNotFound();
    return decide(current);
  };
  const changed = await stores.endpoints.change(
    requireProjectClient(call).id,
    endpointId,
    decideForChannel,
    { by: "project", correlationId: call.correlationId },
    now,
  );
  return { endpoint: encodeEndpoint(changedEndpoint(changed)) };
}
