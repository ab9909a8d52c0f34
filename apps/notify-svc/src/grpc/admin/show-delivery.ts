import type { ServerCall } from "@platform/kit/rpc/server";
import type { ShowDeliveryRequest } from "@platform/proto/notify/v1/notify_admin";
import type { RpcDeps } from "../rpc-deps.ts";
import { addressesOf } from "./deliveries.ts";
import { deliveryNotFound, encodeOperatorDelivery } from "./operator-delivery.ts";

/** Shows a delivery of any Project Client. */
export const showDelivery =
  ({ stores }: RpcDeps) =>
  async (request: ShowDeliveryRequest, _call: ServerCall) => {
    const delivery = await stores.deliveries.findForOperator(request.deliveryId);
    if (delivery === null) throw deliveryNotFound();
    const address = (await addressesOf(stores, [delivery])).get(delivery.endpointId) ?? null;
    return { delivery: encodeOperatorDelivery(delivery, address, request.reveal) };
  };
