import type { QuotaWindow } from "@platform/quota/quota-windows";

/** Parts of a limit, in percent, that are detected. */
export const thresholds = [80, 100] as const;

/** How far a level has to fall below a threshold, in percent of the limit, before crossing the threshold is detected again. */
const rearmPercent = 5;

/** Names the window of a quota a moment lies in, in UTC. */
export function windowName(window: Exclude<QuotaWindow, "level">, now: Date): string {
  const length = { minute: 16, day: 10, month: 7 }[window];
  return now.toISOString().slice(0, length);
}

/** Has a level fallen far enough below a threshold? One that swings around it is detected once. */
export function isRearmed(used: number, limit: number, percent: number): boolean {
  return used * 100 < limit * (percent - rearmPercent);
}
