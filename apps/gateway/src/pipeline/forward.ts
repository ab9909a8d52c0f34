import { validate } from "@platform/contracts/violations";
import type { Forward, PageServer } from "../proxies.ts";
import { contractViolation } from "./contract-violation.ts";
import type { Stage } from "./exchange.ts";

/** Judges the path, then streams the request to the service that owns the operation. */
export function forwardStage(forward: Forward): Stage {
  return async (exchange) => {
    const { operation, rawParams, request, response, correlationId, source } = exchange;
    if (operation.params !== null) {
      const params = validate(operation.params, rawParams, "path:");
      if (!params.ok) throw contractViolation(params.violations);
    }
    await forward(operation.upstream as PageServer, { request, response, correlationId, source });
    return { kind: "streamed" };
  };
}
