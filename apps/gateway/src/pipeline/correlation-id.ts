import { contractViolation } from "./contract-violation.ts";
import type { Stage } from "./exchange.ts";

/** Refuses a malformed X-Correlation-ID where the operation declares the header; elsewhere it is ignored. */
export const correlationId: Stage = (exchange, next) => {
  if (exchange.isCorrelationIdMalformed && exchange.operation.correlationIdDeclared) {
    throw contractViolation([{ path: "header:X-Correlation-ID", code: "invalid_format", message: "must be a UUID" }]);
  }
  return next();
};
