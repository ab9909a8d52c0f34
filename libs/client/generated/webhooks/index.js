export { handledIdsInMemory } from "./handled-ids.js";
export { expressHandler, fetchHandler } from "./handlers.js";
export { verify, WebhookError, } from "./verify.js";
