/** The one error type that crosses processes. */
export {
  deadlineExceeded,
  dependencyUnavailable,
  isRefusal,
  isServiceError,
  ServiceError,
} from "../../rpc/service-error.ts";
export { type Violation, violationCodes } from "../../rpc/violation.ts";
