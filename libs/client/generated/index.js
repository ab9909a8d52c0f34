export { createClient } from "./client.js";
export { ConnectionError, PlatformError } from "./errors.js";
export * as webhooks from "./webhooks/index.js";
