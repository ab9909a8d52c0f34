import { z } from "zod";

/**
 * Returns the number of Unicode code points in a well-formed string, which JSON Schema's `minLength` and `maxLength`
 * count. A lone surrogate counts as one.
 */
export function codePointCount(value: string): number {
  let count = value.length;
  for (let index = 0; index < value.length - 1; index++) {
    const unit = value.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = value.charCodeAt(index + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count--;
    index++;
  }
  return count;
}

/**
 * Returns whether all stores and protocols behind the gateway can represent every character of `value`. NUL ends
 * strings in some of them. A lone surrogate has no UTF-8 form and would silently become U+FFFD.
 */
export function isStorableText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

/** Rules for a string field. Lengths are in code points. */
export type TextRule = {
  /** Default 1, so that a required string is never empty. */
  readonly min?: number;
  readonly max: number;
  /** An anchored pattern that matches only ASCII, so that every match is storable text. */
  readonly pattern?: RegExp;
  readonly description?: string;
};

/** Creates the schema of a storable string of `min` to `max` code points that matches `pattern` if there is one. */
export function text({ min = 1, max, pattern, description }: TextRule) {
  return z
    .string()
    .check((payload) => {
      const { value } = payload;
      // A code point is one or two UTF-16 units, so the code points of most strings do not have to be counted.
      if (value.length < min || (value.length < 2 * min && codePointCount(value) < min)) {
        payload.issues.push({ code: "too_small", origin: "string", minimum: min, inclusive: true, input: value });
      } else if (value.length > max && (value.length > 2 * max || codePointCount(value) > max)) {
        payload.issues.push({ code: "too_big", origin: "string", maximum: max, inclusive: true, input: value });
      } else if (pattern === undefined) {
        if (!isStorableText(value)) payload.issues.push({ code: "invalid_format", format: "text", input: value });
      } else if (!pattern.test(value)) {
        payload.issues.push({ code: "invalid_format", format: "regex", pattern: pattern.source, input: value });
      }
    })
    .meta({
      ...(min > 0 ? { minLength: min } : {}),
      maxLength: max,
      ...(pattern === undefined ? {} : { pattern: pattern.source }),
      ...(description === undefined ? {} : { description }),
    });
}

/** A dotted lower-case name such as `order.placed`: event types, event keys, operation names, audit actions. */
export const dottedName = text({ max: 120, pattern: /^[a-z][a-z0-9_.-]+$/ });

/** A token or digest of 32 bytes as 64 lower-case hex characters. */
export const hex64 = z
  .string()
  .check((payload) => {
    if (!/^[0-9a-f]{64}$/.test(payload.value)) {
      payload.issues.push({ code: "invalid_format", format: "hex64", input: payload.value });
    }
  })
  .meta({ pattern: "^[0-9a-f]{64}$" });

/** A string of exactly 64 characters: verification tokens, whose pattern the contract does not define. */
export const verificationToken = text({ min: 64, max: 64 });

/** A BCP 47 language tag. Only its length is checked here; the owning service knows which locales exist. */
export const locale = text({ max: 20 });
