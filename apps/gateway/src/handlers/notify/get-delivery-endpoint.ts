import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";
import { deliveryEndpointData } from "./delivery-endpoint-data.ts";

export const getDeliveryEndpoint: Handler<(typeof notifyOperations)["notify.getDeliveryEndpoint"]> = async (
  { params, call },
  upstreams,
) => {
  const request = { endpointId: params.endpointId };
  const { endpoint } = await upstreams.notify.endpoints.getDeliveryEndpoint(request, {
    ...call,
    retryUnavailable: true,
  });
  return { data: deliveryEndpointData(endpoint) };
};
