import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Field } from "./resource.ts";

/**
 * A parsed value, or a problem. The problem's text continues a sentence that starts with the name of the field or
 * option.
 */
type Read<T> = { readonly value: T } | { readonly problem: string };

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A request, or the first field that has to be corrected. */
type ReadFields = { readonly request: Record<string, unknown> } | { readonly field: Field; readonly problem: string };

/**
 * Parses what an operator typed into the fields of a request. The service validates the request again.
 * @param textOf returns the text of a field; empty if nothing was typed
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
      return { field, problem: `must be at least ${least}` };
    request[field.field] = read.value;
  }
  return { request };
}

function readField({ kind, choices = [], range = [0, 4_294_967_295] }: Field, text: string): Read<unknown> {
  switch (kind) {
    case "texts": {
      const values = text.split(/[\s,]+/).filter((value) => value !== "");
      return values.length === 0 ? { problem: "takes at least one" } : { value: values };
    }
    case "amount":
    case "position": {
      const read = readInteger(text, 0);
      return "problem" in read ? read : { value: BigInt(read.value) };
    }
    case "number":
      return readInteger(text, ...range);
    case "flag":
      return { value: text !== "" };
    case "time":
    case "since": {
      const read = readTime(text, kind);
      return "problem" in read ? read : { value: timestampFromDate(read.value) };
    }
    case "choice":
      return choices.includes(text) ? { value: text } : { problem: `takes ${choices.join(" or ")}` };
    default:
      return { value: text };
  }
}

/** Parses a whole number from `least` to `most`. */
export function readInteger(text: string, least: number, most: number = Number.MAX_SAFE_INTEGER): Read<number> {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= most) return { value };
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return { problem: `takes a whole number ${range}, not "${text}"` };
}

/** Parses a time in RFC 3339 form. A `since` may also be a duration before now: `30m`, `2h`, `7d`. */
export function readTime(text: string, kind: "time" | "since", nowMs: number = Date.now()): Read<Date> {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (kind === "since" && count !== undefined) return { value: new Date(nowMs - Number(count) * (unitMs[unit] ?? 0)) };
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(time.getTime())) return { value: time };
  return { problem: `takes a time such as 2027-01-31T09:00:00Z${kind === "since" ? ", or how long ago: 2h, 7d" : ""}` };
}
