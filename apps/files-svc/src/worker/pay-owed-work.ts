import type { OwedWorkStore } from "../store/owed-work.ts";

const batch = 100;

/** Pays what a crash or an unreachable Redis or blob store left owed. */
export async function payOwedWork(owedWork: OwedWorkStore, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) if ((await owedWork.payDue(batch)) < batch) return;
}
