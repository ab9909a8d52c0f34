import type { ServerCall } from "@platform/kit/rpc/server";
import type { RetryDeliveryRequest } from "@platform/proto/notify/v1/notify_admin";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { addressesOf } from "./deliveries.ts";
import { deliveryNotFound, encodeOperatorDelivery } from "./operator-delivery.ts";

/** Puts a failed delivery back into the queue. Consent and endpoint are checked again before it is sent. */
export const retryDelivery =
  ({ stores, clock }: RpcDeps) =>
  async (request: RetryDeliveryRequest, _call: ServerCall) => {
    const requeued = await stores.deliveries.requeueFailed(request.deliveryId, clock());
    if (requeued !== null) {
      const address = (await addressesOf(stores, [requeued])).get(requeued.endpointId) ?? null;
      return { delivery: encodeOperatorDelivery(requeued, address) };
    }
    const delivery = await stores.deliveries.findForOperator(request.deliveryId);
    if (delivery === null) throw deliveryNotFound();
    throw contractViolation(
      "/delivery_id",
      "invalid_state",
      `only failed deliveries can be retried; it is ${delivery.status}`,
    );
  };
