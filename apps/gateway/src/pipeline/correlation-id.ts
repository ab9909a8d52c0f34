import { contractViolation } from "./errors.ts";
import type { Stage } from "./exchange.ts";

/** Rejects a malformed X-Correlation-ID if the operation declares the header; otherwise a malformed one is ignored. */
export const correlationId: Stage = (exchange, next) => {
  if (exchange.isCorrelationIdMalformed && exchange.operation.correlationIdDeclared) {
    throw contractViolation([{ path: "header:X-Correlation-ID", code: "invalid_format", message: "must be a UUID" }]);
  }
  return next();
};
