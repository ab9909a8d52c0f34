import type { QuotaWindow } from "@platform/quota/quota-windows";

/** Names the window of a quota that contains a time, in UTC. A gauge uses the day, so that one that stays high is reported once a day. */
export function windowName(window: QuotaWindow, now: Date): string {
  const length = { minute: 16, day: 10, level: 10, month: 7 }[window];
  return now.toISOString().slice(0, length);
}
