import type { CompensationStore } from "../store/compensations.ts";

const batch = 100;

/** Runs compensations that a crash or an unavailable Redis or blob store left pending. */
export async function runCompensations(compensations: CompensationStore, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) if ((await compensations.payDue(batch)) < batch) return;
}
