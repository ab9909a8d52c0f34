import type { CallFunction, ResponseOf } from "./operation-types.js";
import { type WaitOptions } from "./poll.js";
export type Delivery = ResponseOf<"notify.getNotificationDelivery">["data"];
/** Waits until a delivery is `sent` or `failed`; answers it as it was seen last, which after `timeoutMs` may still be on its way. */
export declare function waitForDelivery(call: CallFunction, deliveryId: string, options?: WaitOptions): Promise<Delivery>;
