export { type Client, type ClientOptions, createClient } from "./client.js";
export { ConnectionError, type ErrorCode, PlatformError, type Violation } from "./errors.js";
export type { HostedContinuation, HostedContinuationForm } from "./hosted-continuation-form.js";
export type { Answer, CallFunction, CallOptions, OperationId, RequestArguments, RequestOf, ResponseOf, } from "./operation-types.js";
export type { WaitOptions } from "./poll.js";
export type { RetryPolicy } from "./retry.js";
export type { FileContentType, FileSource, UploadOptions, UploadVerdict } from "./upload-file.js";
export type { Delivery } from "./wait-for-delivery.js";
export * as webhooks from "./webhooks/index.js";
