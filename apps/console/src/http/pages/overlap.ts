import type { Visit } from "../visit.ts";
import type { Field } from "./fields.ts";

/** The choice of how long an old secret continues working. */
export const overlapField = (label = "The old one ends"): Field => ({
  name: "overlap",
  label,
  choices: [
    ["86400", "in a day"],
    ["3600", "in an hour"],
    ["604800", "in a week"],
    ["0", "at once"],
  ],
});

/** The seconds that were chosen; a day when nothing was. */
export function overlapSecondsOf(visit: Visit): number {
  const chosen = visit.field("overlap");
  return /^\d{1,7}$/.test(chosen) ? Number(chosen) : 86_400;
}
