import { pollUntil } from "./poll.js";
/** Waits until a delivery is `sent` or `failed`; returns its last known state, which after `timeoutMs` may still be `pending`. */
export function waitForDelivery(call, deliveryId, options = {}) {
    const request = { params: { deliveryId }, ...(options.signal === undefined ? {} : { signal: options.signal }) };
    return pollUntil(async () => (await call("notify.getNotificationDelivery", request)).data, ({ status }) => status === "sent" || status === "failed", options);
}
