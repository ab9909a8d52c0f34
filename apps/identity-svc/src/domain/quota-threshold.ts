import type { QuotaWindow } from "@platform/quota/quota-windows";

/** Shares of a limit, in percent, that are reported when they are reached. */
export const thresholds = [80, 100] as const;

/** How far a level has to fall below a threshold, in percent of the limit, before crossing the threshold is detected again. */
const rearmPercent = 5;

/** The name of the quota window that contains a time, in UTC. */
export function windowName(window: Exclude<QuotaWindow, "level">, now: Date): string {
  const length = { minute: 16, day: 10, month: 7 }[window];
  return now.toISOString().slice(0, length);
}

/**
 * Returns whether a level has fallen far enough below a threshold to be reported again. A level that swings around a
 * threshold is therefore reported once.
 */
export function isRearmed(used: number, limit: number, percent: number): boolean {
  return used * 100 < limit * (percent - rearmPercent);
}
