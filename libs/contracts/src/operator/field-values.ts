import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Field } from "./resource.ts";

/** A value as the request has it, or what is wrong with it: a clause that goes on after the field's name. */
type ReadField = { readonly value: unknown } | { readonly problem: string };

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A request as it was typed, or the first field that has to be put right. */
export type ReadFields =
  | { readonly request: Record<string, unknown> }
  | { readonly field: Field; readonly problem: string };

/**
 * Reads what an operator typed. The service has the last word on it.
 * @param textOf what was typed for a field; empty when nothing was
 */
export function readFields(fields: readonly Field[], textOf: (field: Field) => string): ReadFields {
  const request: Record<string, unknown> = {};
  for (const field of fields) {
    const text = textOf(field);
    if (text === "" && field.isRequired !== true) continue;
    const read = text === "" ? { problem: "is missing" } : readField(field, text);
    if ("problem" in read) return { field, problem: read.problem };
    const least = field.notBefore === undefined ? undefined : request[field.notBefore];
    if (least !== undefined && (read.value as bigint) < (least as bigint))
      return { field, problem: `takes none before ${least}` };
    request[field.field] = read.value;
  }
  return { request };
}

function readField({ kind, choices = [], range = [0, 4_294_967_295] }: Field, text: string): ReadField {
  switch (kind) {
    case "texts": {
      const values = text.split(/[\s,]+/).filter((value) => value !== "");
      return values.length === 0 ? { problem: "takes at least one" } : { value: values };
    }
    case "amount":
    case "position":
      return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
        ? { value: BigInt(text) }
        : { problem: `takes a whole number of at least 0, not "${text}"` };
    case "number": {
      const [least, most] = range;
      const isWithin = /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most;
      return isWithin
        ? { value: Number(text) }
        : { problem: `takes a whole number from ${least} to ${most}, not "${text}"` };
    }
    case "flag":
      return { value: text !== "" };
    case "time":
    case "since":
      return readTime(kind, text);
    case "choice":
      return choices.includes(text) ? { value: text } : { problem: `takes ${choices.join(" or ")}` };
    default:
      return { value: text };
  }
}

function readTime(kind: "time" | "since", text: string): ReadField {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (kind === "since" && count !== undefined)
    return { value: timestampFromDate(new Date(Date.now() - Number(count) * (unitMs[unit] ?? 0))) };
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(time.getTime()))
    return { value: timestampFromDate(time) };
  return { problem: `takes a time such as 2027-01-31T09:00:00Z${kind === "since" ? ", or how long ago: 2h, 7d" : ""}` };
}
