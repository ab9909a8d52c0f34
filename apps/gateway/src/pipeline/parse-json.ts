import { isUtf8 } from "node:buffer";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import { contractViolation } from "./refusals.ts";

/** Deepest nesting of a JSON body. */
export const jsonDepthMax = 64;

const quote = 0x22;
const backslash = 0x5c;

/** What a byte opens or closes; 0 for those that do neither, so that most bytes cost one comparison. */
const opensString = 1;
const opensLevel = 2;
const roles = new Uint8Array(256);
roles[quote] = opensString;
roles[0x7b] = roles[0x5b] = opensLevel;
roles[0x7d] = roles[0x5d] = 3;

/** Is JSON text nested deeper than `depthMax`? Looks at the bytes only, so that no parser ever recurses into a bomb. */
export function isNestedDeeperThan(bytes: Uint8Array, depthMax: number): boolean {
  const { length } = bytes;
  let depth = 0;
  let at = 0;
  while (at < length) {
    const role = roles[bytes[at++] as number];
    if (role === 0) continue;
    if (role === opensString) {
      let byte = bytes[at++];
      while (at < length && byte !== quote) {
        if (byte === backslash) at += 1;
        byte = bytes[at++];
      }
    } else if (role === opensLevel) {
      depth += 1;
      if (depth > depthMax) return true;
    } else {
      depth -= 1;
    }
  }
  return false;
}

/** `application/json` or `application/…+json`, in UTF-8. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  return contentType === "application/json" || (contentType !== undefined && jsonMediaType.test(contentType));
}

const jsonMediaType = /^application\/(?:json|[a-z0-9!#$&^_.-]+\+json)\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/**
 * Parses a JSON body.
 * @throws ServiceError unsupported_media_type, or contract_violation at `/` for text that is no JSON, no UTF-8 or nested too deeply
 */
export function parseJson(bytes: Buffer, contentType: string | undefined): unknown {
  if (!isJsonMediaType(contentType)) {
    throw new ServiceError("unsupported_media_type", "Send the body as Content-Type: application/json, in UTF-8.");
  }
  const malformed = (message: string): ServiceError =>
    contractViolation([{ path: "/", code: "invalid_format", message }]);
  if (!isUtf8(bytes)) throw malformed("must be UTF-8 text");
  if (isNestedDeeperThan(bytes, jsonDepthMax)) throw malformed(`must be nested at most ${jsonDepthMax} deep`);
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw malformed("must be well-formed JSON");
  }
}
