import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Field } from "./fields.ts";

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** The field to choose the period that a list covers. */
export function sinceField(value = ""): Field {
  return {
    name: "since",
    label: "Since",
    value,
    choices: [
      ["", "any time"],
      ["1h", "1 hour ago"],
      ["24h", "24 hours ago"],
      ["7d", "7 days ago"],
      ["30d", "30 days ago"],
    ],
  };
}

/** Returns `since` in the form that a request contains; an empty object for any time. */
export function sinceOf(text: string, nowMs: number = Date.now()): { since?: Timestamp } {
  const [, count, unit] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return {};
  return { since: timestampFromDate(new Date(nowMs - Number(count) * (unitMs[unit] ?? 0))) };
}
