import { nextHopDeadline, steadyNowMs } from "@platform/kit/rpc/client";
import type { Stage } from "./exchange.ts";

/** Sets the request's deadline, counted from its arrival. Each hop receives the remaining time minus its reserve. */
export function deadline(budgetMs: number): Stage {
  return (exchange, next) => {
    const waitedMs = performance.now() - exchange.startedAtMs;
    exchange.deadlineMs = nextHopDeadline(steadyNowMs() - waitedMs + budgetMs);
    return next();
  };
}
