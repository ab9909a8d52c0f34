import type { CallFunction, ResponseOf } from "./operation-types.js";
import { type WaitOptions } from "./poll.js";
export type Delivery = ResponseOf<"notify.getNotificationDelivery">["data"];
/** Waits until a delivery is `sent` or `failed`; returns its last known state, which after `timeoutMs` may still be `pending`. */
export declare function waitForDelivery(call: CallFunction, deliveryId: string, options?: WaitOptions): Promise<Delivery>;
