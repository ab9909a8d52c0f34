import { PageProblem } from "../page-problem.ts";
import type { Visit } from "../visit.ts";
import type { Field } from "./fields.ts";

/** The field in which a person types the name of a resource, before an action on it that cannot be undone. */
export const confirmationField = (text: string): Field => ({
  name: "confirm",
  label: `Type ${text} to confirm`,
  isRequired: true,
  maxLength: 300,
});

/** Throws unless the form contains this text as its confirmation. */
export function requireConfirmation(visit: Visit, text: string): void {
  if (visit.field("confirm") !== text.trim())
    throw new PageProblem(422, "This cannot be done", `Type ${text} exactly as it is written to confirm.`);
}
