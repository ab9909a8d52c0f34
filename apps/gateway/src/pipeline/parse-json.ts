import { isUtf8 } from "node:buffer";
import { parseExactly } from "@platform/contracts/exact-json";
import type { ViolationCode } from "@platform/contracts/violations";
import { ServiceError } from "@platform/kit/rpc/errors";
import { contractViolation } from "./errors.ts";

/** Maximum nesting of a JSON body. */
export const jsonDepthMax = 64;

/**
 * Maximum number of array elements and object members of a JSON body, at all depths together. It limits the cost of
 * parsing, which the size in bytes does not.
 */
export const jsonValuesMax = 50_000;

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;

/** Each byte is mapped to its structural meaning, or 0, so that most bytes need only one comparison. */
const opensString = 1;
const startsNumber = 2;
const separates = 3;
const opensLevel = 4;
const closesLevel = 5;
const roles = new Uint8Array(256);
roles[quote] = opensString;
roles[minus] = startsNumber;
for (let digit = zero; digit <= 0x39; digit += 1) roles[digit] = startsNumber;
roles[0x2c] = separates;
roles[0x7b] = roles[0x5b] = opensLevel;
roles[0x7d] = roles[0x5d] = closesLevel;

/** Length up to which a number without an exponent is always represented exactly by a double: 15 digits and a point. */
const plainNumberLength = 16;

/** Result of a scan of JSON text. */
export type JsonScan = {
  /** Maximum nesting in the text. The scan ends when it exceeds `jsonDepthMax`. */
  readonly depth: number;
  /** Number of array elements and object members. The scan ends when it exceeds `jsonValuesMax`. */
  readonly values: number;
  /** True if JavaScript might write one of the numbers with different digits. */
  readonly hasUnusualNumbers: boolean;
};

/**
 * Scans the bytes of JSON text before they are parsed, so that a JSON bomb never reaches the parser. For text that is
 * not JSON, the result has no meaning.
 */
export function scanJson(bytes: Uint8Array): JsonScan {
  const { length } = bytes;
  let depth = 0;
  let deepest = 0;
  let values = 0;
  let hasUnusualNumbers = false;
  let at = 0;
  while (at < length && deepest <= jsonDepthMax && values <= jsonValuesMax) {
    const role = roles[bytes[at++] as number];
    if (role === 0) continue;
    if (role === opensString) {
      let byte = bytes[at++];
      while (at < length && byte !== quote) {
        if (byte === backslash) at += 1;
        byte = bytes[at++];
      }
    } else if (role === startsNumber) {
      const start = at - 1;
      at = endOfNumber(bytes, at);
      hasUnusualNumbers ||= isUnusualNumber(bytes, start, at);
    } else if (role === separates) {
      values += 1;
    } else if (role === opensLevel) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      while (at < length && (bytes[at] as number) <= space) at += 1;
      // The first value of an array or object is counted here, because no separator precedes it.
      if (at < length && roles[bytes[at] as number] !== closesLevel) values += 1;
    } else {
      depth -= 1;
    }
  }
  return { depth: deepest, values, hasUnusualNumbers };
}

/** Returns the end of a number. Digits, signs, points and exponents continue it; any other byte ends it. */
function endOfNumber(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const goesOn = roles[byte] === startsNumber || byte === point || (byte | space) === 0x65 || byte === 0x2b;
    if (!goesOn) break;
  }
  return at;
}

/**
 * Returns whether JavaScript may write the number differently: long numbers, exponents, zeros with a sign, and zeros
 * that it omits or writes as an exponent.
 */
function isUnusualNumber(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > plainNumberLength) return true;
  let pointAt = -1;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte === point) pointAt = at;
    else if ((byte | space) === 0x65) return true;
  }
  if (pointAt === -1) return to - from === plainNumberLength || (bytes[from] === minus && bytes[from + 1] === zero);
  const isSmall = bytes[pointAt + 1] === zero && bytes[pointAt + 2] === zero && bytes[pointAt + 3] === zero;
  return isSmall || bytes[to - 1] === zero;
}

/**
 * Returns whether the content type is `application/json` or `application/…+json` in UTF-8. For existing clients, it
 * also accepts an empty parameter and the name `utf8`.
 */
export function isJsonMediaType(contentType: string | undefined): boolean {
  return contentType === "application/json" || (contentType !== undefined && jsonMediaType.test(contentType));
}

const jsonMediaType = /^application\/(?:json|[a-z0-9!#$&^_.-]+\+json)\s*(?:;\s*(?:charset="?utf-?8"?)?\s*)?$/i;

/**
 * A parsed body as JavaScript values, and the same body with the exact digits of its numbers. Both are the same object
 * unless a number is unusual.
 */
export type ParsedJson = { readonly value: unknown; readonly exact: unknown };

/**
 * Parses a JSON body.
 * @param scan the scan of the same bytes, if they have already been scanned
 * @throws ServiceError unsupported_media_type, or contract_violation at `/` for text that is not JSON, is not UTF-8, is
 * nested too deeply or has too many values
 */
export function parseJson(bytes: Buffer, contentType: string | undefined, scan: JsonScan | null = null): ParsedJson {
  if (!isJsonMediaType(contentType)) {
    throw new ServiceError("unsupported_media_type", "Send the body as Content-Type: application/json, in UTF-8.");
  }
  const malformed = (message: string, code: ViolationCode = "invalid_format"): ServiceError =>
    contractViolation([{ path: "/", code, message }]);
  if (!isUtf8(bytes)) throw malformed("must be UTF-8 text");
  const { depth, values, hasUnusualNumbers } = scan ?? scanJson(bytes);
  if (depth > jsonDepthMax) throw malformed(`must be nested at most ${jsonDepthMax} deep`);
  if (values > jsonValuesMax) {
    throw malformed(`must have at most ${jsonValuesMax} array elements and object members in all`, "too_long");
  }
  const text = bytes.toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return { value, exact: hasUnusualNumbers ? parseExactly(text) : value };
  } catch {
    throw malformed("must be well-formed JSON");
  }
}
