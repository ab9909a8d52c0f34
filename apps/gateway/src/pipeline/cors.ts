import type { Stage } from "./exchange.ts";

/** Lets browsers of any origin read the answers of operations that say so. No credentials are involved: those operations take none. */
export const cors: Stage = (exchange, next) => {
  if (exchange.operation.cors === true) {
    exchange.answerHeaders["access-control-allow-origin"] = "*";
    exchange.answerHeaders["access-control-expose-headers"] = "X-Correlation-ID";
  }
  return next();
};

/** Headers of the answer to a preflight of such an operation. */
export function preflightHeaders(method: string): Record<string, string> {
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": method,
    "access-control-allow-headers": "Content-Type, X-Correlation-ID",
    "access-control-max-age": "86400",
  };
}
