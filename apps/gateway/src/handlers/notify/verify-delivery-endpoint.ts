import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";
import { deliveryEndpointData } from "./delivery-endpoint-data.ts";

export const verifyDeliveryEndpoint: Handler<(typeof notifyOperations)["notify.verifyDeliveryEndpoint"]> = async (
  { params, body, call },
  upstreams,
) => {
  const { endpoint } = await upstreams.notify.endpoints.verifyDeliveryEndpoint(
    { endpointId: params.endpointId, token: body.token },
    call,
  );
  return { data: deliveryEndpointData(endpoint) };
};
