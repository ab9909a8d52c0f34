export { type Client, type ClientOptions, createClient } from "./client.ts";
export { ConnectionError, type ErrorCode, PlatformError, type Violation } from "./errors.ts";
export type { HostedContinuation, HostedContinuationForm } from "./hosted-continuation-form.ts";
export type {
  Answer,
  CallFunction,
  CallOptions,
  OperationId,
  RequestArguments,
  RequestOf,
  ResponseOf,
} from "./operation-types.ts";
export type { WaitOptions } from "./poll.ts";
export type { RetryPolicy } from "./retry.ts";
export type { FileContentType, FileSource, UploadOptions, UploadVerdict } from "./upload-file.ts";
export type { Delivery } from "./wait-for-delivery.ts";
export * as webhooks from "./webhooks/index.ts";
