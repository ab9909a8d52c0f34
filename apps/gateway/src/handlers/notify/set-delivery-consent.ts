import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";
import { deliveryEndpointData } from "./delivery-endpoint-data.ts";

export const setDeliveryConsent: Handler<(typeof notifyOperations)["notify.setDeliveryConsent"]> = async (
  { params, body, call },
  upstreams,
) => {
  const request = { endpointId: params.endpointId, purpose: params.purpose, granted: body.granted };
  const { endpoint } = await upstreams.notify.endpoints.setDeliveryConsent(request, {
    ...call,
    retryUnavailable: true,
  });
  return { data: deliveryEndpointData(endpoint) };
};
