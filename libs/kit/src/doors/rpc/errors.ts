/** The one error type that crosses processes. What other packages may import; a module without a line here is the package's own. */
export { deadlineExceeded, dependencyUnavailable, isServiceError, ServiceError } from "../../rpc/service-error.ts";
export { type Violation, violationCodes } from "../../rpc/violation.ts";
