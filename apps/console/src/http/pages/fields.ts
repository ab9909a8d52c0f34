import { html, type SafeHtml } from "@platform/kit/web/http";
import { boundOf } from "../inputs.ts";
import type { Visit } from "../visit.ts";

/** A field of a form. */
export type Field = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?:
    | "text"
    | "number"
    | "password"
    | "url"
    | "search"
    | "datetime-local"
    | "textarea"
    | "checkbox"
    | "hidden";
  /** The choices of a field: each value with its label. */
  readonly choices?: readonly (readonly [value: string, label: string])[];
  readonly value?: string;
  /** Current value, in a form that changes it; empty if no value is set. */
  readonly present?: string;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  readonly rows?: number;
  /** True for a value that is never shown again, such as a password. */
  readonly isSecret?: boolean;
};

export const choicesOf = (values: readonly string[], all?: string): [string, string][] => [
  ...(all === undefined ? [] : [["", all] as [string, string]]),
  ...values.map((value): [string, string] => [value, value.replaceAll("_", " ")]),
];

/** Renders a field with its label. `prefix` distinguishes the ids of several forms on a page. */
export function fieldHtml(field: Field, prefix: string): SafeHtml {
  const { name, label, hint, type = "text", choices, value = "", isRequired, rows = 4 } = field;
  const maxLength = choices === undefined ? (field.maxLength ?? boundOf("field", name)) : null;
  if (type === "hidden") return html`<input type="hidden" name="${name}" value="${value}">`;
  const id = `${prefix}-${name}`;
  const described = hint !== undefined && html` aria-describedby="${id}-hint"`;
  const common = html`id="${id}" name="${name}"${isRequired === true && html` required`}${described}${
    maxLength !== null && html` maxlength="${maxLength}"`
  }`;
  const hintHtml = hint !== undefined && html`<div class="form-hint" id="${id}-hint">${hint}</div>`;
  if (type === "checkbox") {
    return html`<div class="field form-check"><input class="form-check-input" type="checkbox" value="yes" ${common}${value === "yes" && html` checked`}>
<label class="form-check-label" for="${id}">${label}</label>${hintHtml}</div>`;
  }
  const control =
    choices !== undefined
      ? html`<select class="form-select" ${common}>${choices.map(
          ([each, shown]) => html`<option value="${each}"${each === value && html` selected`}>${shown}</option>`,
        )}</select>`
      : type === "textarea"
        ? html`<textarea class="form-control" ${common} rows="${rows}" spellcheck="false">
${value}</textarea>`
        : html`<input class="form-control" type="${type}" ${common} value="${value}" autocomplete="${type === "password" ? "new-password" : "off"}">`;
  return html`<div class="field"><label class="form-label" for="${id}">${label}</label>${hintHtml}${control}</div>`;
}

/** Renders the hidden field with the token that every posted form contains. */
export function csrfField({ session }: Pick<Visit, "session">): SafeHtml {
  return html`<input type="hidden" name="csrf" value="${session.csrf}">`;
}
