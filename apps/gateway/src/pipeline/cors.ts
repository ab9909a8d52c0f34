import type { Operation } from "@platform/contracts/operation";
import type { Stage } from "./exchange.ts";

/** Lets browsers of any origin read the answers of operations that say so. No credentials are involved: those operations take none. */
export const cors: Stage = (exchange, next) => {
  Object.assign(exchange.answerHeaders, corsHeaders(exchange.operation));
  return next();
};

/** Headers every answer of the operation has for browsers' sake. */
export function corsHeaders(operation: Operation): Readonly<Record<string, string>> {
  return operation.cors === true ? forBrowsers : none;
}

const forBrowsers = { "access-control-allow-origin": "*", "access-control-expose-headers": "X-Correlation-ID" };
const none = {};

/** Headers of the answer to a preflight of such an operation. */
export function preflightHeaders(method: string): Record<string, string> {
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": method,
    "access-control-allow-headers": "Content-Type, X-Correlation-ID",
    "access-control-max-age": "86400",
  };
}
