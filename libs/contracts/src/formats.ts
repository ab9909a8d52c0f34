import { z } from "zod";
import { codePointCount } from "./text.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether `value` is a UUID (RFC 9562 §4), of any version and variant, in any case. */
export function isUuid(value: string): boolean {
  return value.length === 36 && uuidPattern.test(value);
}

/**
 * Schema of a UUID in any case. Handlers receive it in lower case, the form in which RFC 9562 requires it to be sent.
 */
export const uuid = z
  .string()
  .check((payload) => {
    if (isUuid(payload.value)) payload.value = payload.value.toLowerCase();
    else payload.issues.push({ code: "invalid_format", format: "uuid", input: payload.value });
  })
  .meta({ format: "uuid" });

// Pattern of an email address: a local part, an @ and a domain of at least two labels, with the letters that RFC 6531
// adds to ASCII. The local part is a dot-atom or a quoted string (RFC 5321 §4.1.2). Quoted strings are needed because
// carriers once issued addresses with two consecutive dots, which are written as `"abc..def"@…`. A quoted part contains
// no angle brackets, because they delimit the address in emails. Address literals are excluded, because nobody types
// them. The mail server checks the limits of 64 and 255 octets (RFC 5321).
const letters = String.raw`\p{L}\p{M}\p{N}`;
const atom = String.raw`[a-z0-9!#$%&'*+/=?^_\x60{|}~${letters}-]+`;
const quoted = String.raw`"(?:[\x20!\x23-;=?-\x5b\x5d-~${letters}]|\\[\x20-;=?-~])*"`;
const label = `[a-z0-9${letters}](?:[a-z0-9${letters}-]*[a-z0-9${letters}])?`;
const emailPattern = new RegExp(String.raw`^(?:${atom}(?:\.${atom})*|${quoted})@(?:${label}\.)+${label}$`, "iu");

/**
 * Creates the schema of an email address of at most `max` code points. With `trim`, surrounding white space is removed
 * before validation. The pattern is applied only to short strings, so no input can make it slow.
 */
export function email(max: number, { trim = false }: { readonly trim?: boolean } = {}) {
  return z
    .string()
    .check((payload) => {
      const value = trim ? payload.value.trim() : payload.value;
      payload.value = value;
      if (value.length > max && (value.length > 2 * max || codePointCount(value) > max)) {
        payload.issues.push({ code: "too_big", origin: "string", maximum: max, inclusive: true, input: value });
      } else if (!emailPattern.test(value)) {
        payload.issues.push({ code: "invalid_format", format: "email", input: value });
      }
    })
    .meta({ format: "email", maxLength: max });
}

/**
 * Creates the schema of an absolute URI (RFC 3986, so ASCII without spaces) of at most `max` characters that the WHATWG
 * URL parser accepts. Handlers receive it unchanged.
 */
export function uri(max: number) {
  return z
    .string()
    .check((payload) => {
      const { value } = payload;
      if (value.length > max && (value.length > 2 * max || codePointCount(value) > max)) {
        payload.issues.push({ code: "too_big", origin: "string", maximum: max, inclusive: true, input: value });
      } else if (!/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(value) || !URL.canParse(value)) {
        payload.issues.push({ code: "invalid_format", format: "uri", input: value });
      }
    })
    .meta({ format: "uri", maxLength: max });
}

const dateTimePattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Converts an RFC 3339 date-time to the form `2026-01-31T09:30:00.000Z`. Returns null if `value` is invalid: it has no
 * offset, the day does not exist, or the year is outside 0000 to 9999. A leap second counts as the following second,
 * and fractions below a millisecond are dropped.
 */
export function normalizeDateTime(value: string): string | null {
  // Fast path: most clients send the form that toISOString writes, and only a text in that form is equal after
  // conversion.
  if (value.length === 24 && value.endsWith("Z")) {
    const sent = new Date(value);
    if (!Number.isNaN(sent.getTime()) && sent.toISOString() === value) return value;
  }
  const match = dateTimePattern.exec(value);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return null;
  const instant = new Date(0);
  // setUTCFullYear is used because Date.UTC interprets the years 0 to 99 as 1900 to 1999.
  instant.setUTCFullYear(year, month - 1, day);
  if (instant.getUTCMonth() !== month - 1 || instant.getUTCDate() !== day) return null;
  const sign = match[8] === "-" ? 1 : -1;
  instant.setUTCHours(
    hour,
    minute + sign * (offsetHours * 60 + offsetMinutes),
    second,
    Number((match[7] ?? "").slice(0, 3).padEnd(3, "0")),
  );
  // A leap second can only be the last second of a UTC day.
  if (second === 60 && (instant.getUTCHours() !== 0 || instant.getUTCMinutes() !== 0)) return null;
  const utcYear = instant.getUTCFullYear();
  return utcYear < 0 || utcYear > 9999 ? null : instant.toISOString();
}

/** Schema of an RFC 3339 date-time with an offset. Handlers receive it in UTC with milliseconds. */
export const dateTime = z
  .string()
  .check((payload) => {
    const normalized = normalizeDateTime(payload.value);
    if (normalized === null) {
      payload.issues.push({ code: "invalid_format", format: "datetime", input: payload.value });
    } else {
      payload.value = normalized;
    }
  })
  .meta({ format: "date-time" });

/**
 * Creates the schema of a JSON number with an integral value from `min` to `max`, both within the safe range. `5.0` is
 * accepted; `1.5` and `9007199254740992` are not.
 */
export function integer(min: number = Number.MIN_SAFE_INTEGER, max: number = Number.MAX_SAFE_INTEGER) {
  return z
    .number()
    .check((payload) => {
      const { value } = payload;
      if (!Number.isInteger(value)) {
        payload.issues.push({ code: "invalid_type", expected: "int", input: value });
      } else if (value < min) {
        payload.issues.push({ code: "too_small", origin: "int", minimum: min, inclusive: true, input: value });
      } else if (value > max) {
        payload.issues.push({ code: "too_big", origin: "int", maximum: max, inclusive: true, input: value });
      }
    })
    .meta({ type: "integer", minimum: min, maximum: max });
}
