export { createClient } from "./client.js";
export { ConnectionError, PlatformError } from "./errors.js";
