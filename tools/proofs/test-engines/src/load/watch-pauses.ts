import { setTimeout as delay } from "node:timers/promises";
import type { Pause } from "./failed-tries.ts";

const everyMs = 200;
/** A liveness probe does no work, so one that takes longer than this shows that the process was not running. */
const pauseMs = 700;

/** Probes a process's liveness continuously, and records the pauses. */
export function watchPauses(livezUrl: string): { readonly pauses: readonly Pause[]; stop(): Promise<void> } {
  const pauses: Pause[] = [];
  const stopping = new AbortController();
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const fromMs = performance.now();
      await fetch(livezUrl, { signal: stopping.signal }).then(
        (response) => response.text(),
        () => null,
      );
      const toMs = performance.now();
      if (toMs - fromMs > pauseMs) pauses.push({ fromMs, toMs });
      await delay(everyMs);
    }
  };
  const done = watch();
  return {
    pauses,
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}
