import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";
import { deliveryEndpointData } from "./delivery-endpoint-data.ts";

export const revokeDeliveryEndpoint: Handler<(typeof notifyOperations)["notify.revokeDeliveryEndpoint"]> = async (
  { params, call },
  upstreams,
) => {
  const request = { endpointId: params.endpointId };
  const { endpoint } = await upstreams.notify.endpoints.revokeDeliveryEndpoint(request, {
    ...call,
    retryUnavailable: true,
  });
  return { data: deliveryEndpointData(endpoint) };
};
