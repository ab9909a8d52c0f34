export { type HandledIds, handledIdsInMemory } from "./handled-ids.ts";
export { expressHandler, fetchHandler } from "./handlers.ts";
export type { WebhookOptions } from "./receive.ts";
export type { ReceivedHeaders } from "./received-headers.ts";
export {
  type DomainEventCall,
  type ReceivedRequest,
  type ScheduledCall,
  verify,
  type WebhookCall,
  WebhookError,
  type WebhookSecret,
} from "./verify.ts";
