import { nextHopDeadline } from "@platform/service-kit/grpc/deadline";
import type { Stage } from "./exchange.ts";

/** Gives the request its time budget; every hop behind gets what is left of it, less that hop's reserve. */
export function deadline(budgetMs: number): Stage {
  return (exchange, next) => {
    exchange.deadlineMs = nextHopDeadline(Date.now() + budgetMs);
    return next();
  };
}
