import type { CallFunction, ResponseOf } from "./operation-types.ts";
import { pollUntil, type WaitOptions } from "./poll.ts";

export type Delivery = ResponseOf<"notify.getNotificationDelivery">["data"];

/** Waits until a delivery is `sent` or `failed`; returns its last known state, which after `timeoutMs` may still be `pending`. */
export function waitForDelivery(call: CallFunction, deliveryId: string, options: WaitOptions = {}): Promise<Delivery> {
  const request = { params: { deliveryId }, ...(options.signal === undefined ? {} : { signal: options.signal }) };
  return pollUntil(
    async () => (await call("notify.getNotificationDelivery", request)).data,
    ({ status }) => status === "sent" || status === "failed",
    options,
  );
}
