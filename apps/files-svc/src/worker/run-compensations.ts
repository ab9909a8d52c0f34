import type { Sweep } from "@platform/kit/jobs/work";
import type { CompensationStore } from "../store/compensations.ts";

/** Runs compensations that are still pending after a crash, or because Redis or the blob store was unavailable. */
export function runCompensations(compensations: CompensationStore, sweep: Sweep, signal: AbortSignal): Promise<void> {
  return sweep.run({
    find: compensations.listDue,
    idOf: ({ id }) => id,
    work: ({ clientId, id }) => compensations.pay(clientId, id),
    signal,
  });
}
