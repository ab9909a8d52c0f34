import { readFields } from "@platform/contracts/operator/field-values";
import { capitalize, formName, type Field as TableField } from "@platform/contracts/operator/resource";
import { isTimestamp, plainOf } from "@platform/contracts/operator/row-values";
import { defined } from "@platform/kit/process/fields";
import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { boundOf } from "./inputs.ts";
import { PageProblem } from "./page-problem.ts";
import { choicesOf, type Field } from "./pages/fields.ts";
import { sinceField } from "./pages/time-filter.ts";
import type { Row } from "./resource-row.ts";
import type { Visit } from "./visit.ts";

const types = { amount: "number", number: "number", url: "url", time: "datetime-local", flag: "checkbox" } as const;

/**
 * Returns a field of a form, without the parts that depend on the visit. @param isFilter true for the filter of a list,
 * in which a choice starts with "all"
 */
export function requestField(field: TableField, isFilter = false): Field {
  const { label, explanation, kind, choices, isRequired, initial, maxLength } = field;
  if (isFilter && kind === "since") return { ...sinceField(), name: formName(field), label };
  const type = types[kind as keyof typeof types];
  return {
    name: formName(field),
    label: kind === "time" ? `${label} (UTC)` : label,
    ...(isFilter && choices !== undefined ? {} : { hint: hintOf(explanation) }),
    ...defined({ type }),
    ...(choices === undefined ? {} : { choices: choicesOf(choices, isFilter ? "all" : undefined) }),
    ...(isRequired === true ? { isRequired } : {}),
    ...defined({ value: initial, maxLength }),
  };
}

const hintOf = (explanation: string): string => `${capitalize(explanation)}${/[.…]$/.test(explanation) ? "" : "."}`;

/** Returns the fields of a form. @param row the resource whose current values are prefilled */
export async function formFields(
  visit: Visit,
  fields: readonly TableField[],
  row: Row | null,
): Promise<readonly Field[]> {
  // The pages of a project are limited to that project, so the field for the project is omitted.
  const asked = fields.filter(({ offers: offered }) => offered !== "clients" || visit.project === null);
  return Promise.all(
    asked.map(async (field) => {
      const shown = requestField(field);
      if (field.present !== undefined && row !== null) {
        const present = textOf(row[field.present]);
        return { ...shown, present, value: present || (field.initial ?? "") };
      }
      if (field.offers === undefined) return { ...shown, value: namedInAddress(visit, field) || (shown.value ?? "") };
      const offered = await offers[field.offers](visit);
      const none: [string, string][] = field.isRequired === true ? [] : [["", "none"]];
      return { ...shown, choices: [...none, ...offered], value: visit.query(formName(field)) };
    }),
  );
}

/** Returns a value as a form control contains it. A form has no time zone, so its times are in UTC. */
function textOf(value: unknown): string {
  const plain = plainOf(value);
  if (typeof plain === "boolean") return plain ? "yes" : "";
  if (isTimestamp(value)) return String(plain).slice(0, -1);
  return Array.isArray(plain) ? plain.join(" ") : String(plain ?? "");
}

/**
 * The hidden field with the revision on which the form is based. A change that is based on an outdated revision is
 * rejected.
 */
export const revisionField = (revision: unknown): Field => ({
  name: "revision",
  label: "",
  type: "hidden",
  value: String(revision),
});

/**
 * Returns the revision of the posted form, as its request contains it. If the revision is missing, throws a page that
 * asks the person to open the form again.
 */
export function postedRevision(visit: Visit): { revision: number } {
  const text = visit.field("revision");
  if (!/^\d{1,10}$/.test(text))
    throw new PageProblem(
      422,
      "This form is incomplete",
      "Nothing was done. Open the form again and send it from there.",
    );
  return { revision: Number(text) };
}

/** Returns the value that a link to the form prefills; empty for fields that must not be in a URL. */
const namedInAddress = (visit: Visit, field: TableField): string =>
  boundOf("query", formName(field)) === null ? "" : visit.query(formName(field));

/** The choices that a field offers, so that nobody has to type an id. */
const offers: Readonly<Record<NonNullable<TableField["offers"]>, (visit: Visit) => Promise<[string, string][]>>> = {
  clients: async (visit) => (await visit.projectClients()).map(({ id, name }) => [id, name]),
  schedules: async (visit) => {
    const { operations } = await visit.ask(ScheduledOperationAdminService.method.listScheduledOperations, {
      projectClientId: visit.query("client"),
    });
    return operations.map(({ id, name }) => [id, name]);
  },
};

/** Returns the request of a form or of a list's filters. Throws a page that explains what to correct. */
export function requestOf(fields: readonly TableField[], textOf: (name: string) => string): Record<string, unknown> {
  const read = readFields(fields, (field) => {
    const text = textOf(formName(field));
    // A form has no time zone, so its times are in UTC.
    return field.kind === "time" && text !== "" ? `${text}Z` : text;
  });
  if ("problem" in read) throw new PageProblem(422, "This cannot be done", `${read.field.label} ${read.problem}.`);
  return read.request;
}
