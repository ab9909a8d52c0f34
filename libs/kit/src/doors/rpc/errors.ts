/** The one error type that crosses processes. */
export { deadlineExceeded, dependencyUnavailable, isServiceError, ServiceError } from "../../rpc/service-error.ts";
export { type Violation, violationCodes } from "../../rpc/violation.ts";
