import type { Visit } from "../visit.ts";
import type { Field } from "./fields.ts";

/** The field to choose how long the old secret remains valid. */
export const overlapField = (label = "The old one expires"): Field => ({
  name: "overlap",
  label,
  choices: [
    ["86400", "after one day"],
    ["3600", "after one hour"],
    ["604800", "after one week"],
    ["0", "immediately"],
  ],
});

/** Returns the chosen number of seconds; a day if nothing was chosen. */
export function overlapSecondsOf(visit: Visit): number {
  const chosen = visit.field("overlap");
  return /^\d{1,7}$/.test(chosen) ? Number(chosen) : 86_400;
}
