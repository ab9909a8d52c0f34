export { type HandledIds, handledIdsInMemory } from "./handled-ids.js";
export { expressHandler, fetchHandler } from "./handlers.js";
export type { WebhookOptions } from "./receive.js";
export type { ReceivedHeaders } from "./received-headers.js";
export { type DomainEventCall, type ReceivedRequest, type ScheduledCall, verify, type WebhookCall, WebhookError, type WebhookSecret, } from "./verify.js";
