import type { ErrorCode } from "@platform/contracts/errors";

/** An error of the contract. A handler throws it, and the response is the error envelope. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, details: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** The record that was found, or the error if there is none. */
export function found<T>(record: T | undefined, code: ErrorCode): T {
  if (record === undefined) throw new Refusal(code);
  return record;
}

export function check(isFine: boolean, code: ErrorCode): void {
  if (!isFine) throw new Refusal(code);
}
