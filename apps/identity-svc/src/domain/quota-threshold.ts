import type { QuotaWindow } from "@platform/quota/quota-windows";

/** Names the window of a quota a moment lies in, in UTC. That of a level is the day: a level that stays high is told of once a day. */
export function windowName(window: QuotaWindow, now: Date): string {
  const length = { minute: 16, day: 10, level: 10, month: 7 }[window];
  return now.toISOString().slice(0, length);
}
