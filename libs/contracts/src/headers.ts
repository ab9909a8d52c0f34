import { z } from "zod";
import { uuid } from "./formats.ts";

/** Schema of X-Correlation-ID on an operation that declares it: a UUID, which is converted to lower case. */
export const correlationIdHeader = uuid;

const idempotencyKeys = { 120: idempotencyKey(120), 255: idempotencyKey(255) } as const;

/** Returns the schema of an Idempotency-Key: 1 to `maxLength` printable ASCII characters without spaces. */
export function idempotencyKeyHeader(maxLength: keyof typeof idempotencyKeys) {
  return idempotencyKeys[maxLength];
}

function idempotencyKey(maxLength: number) {
  const pattern = /^[\x21-\x7e]+$/;
  return z
    .string()
    .check((payload) => {
      const { value } = payload;
      if (value.length === 0) {
        payload.issues.push({ code: "too_small", origin: "string", minimum: 1, inclusive: true, input: value });
      } else if (value.length > maxLength) {
        payload.issues.push({ code: "too_big", origin: "string", maximum: maxLength, inclusive: true, input: value });
      } else if (!pattern.test(value)) {
        payload.issues.push({ code: "invalid_format", format: "idempotency_key", input: value });
      }
    })
    .meta({ minLength: 1, maxLength, pattern: pattern.source });
}
