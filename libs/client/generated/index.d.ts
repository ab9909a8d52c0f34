export { type Client, type ClientOptions, createClient } from "./client.ts";
export { ConnectionError, type ErrorCode, PlatformError, type Violation } from "./errors.ts";
export type { Answer, CallOptions, OperationId, RequestOf, ResponseOf } from "./operation-types.ts";
