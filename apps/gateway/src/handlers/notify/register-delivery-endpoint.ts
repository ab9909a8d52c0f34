import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";
import { deliveryEndpointData } from "./delivery-endpoint-data.ts";

export const registerDeliveryEndpoint: Handler<(typeof notifyOperations)["notify.registerDeliveryEndpoint"]> = async (
  { body, call },
  upstreams,
) => {
  const { endpoint } = await upstreams.notify.endpoints.registerDeliveryEndpoint(
    { channel: body.channel, identifier: body.identifier },
    call,
  );
  return { data: deliveryEndpointData(endpoint) };
};
