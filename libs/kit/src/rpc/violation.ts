/** Violation codes. This is the closed list that the API returns and its OpenAPI document publishes. */
export const violationCodes = [
  "required",
  "unknown_property",
  "invalid_type",
  "invalid_value",
  "invalid_format",
  "too_short",
  "too_long",
  "too_small",
  "too_big",
  "not_unique",
  "out_of_range",
  "too_many",
  "too_large",
] as const;

export type ViolationCode = (typeof violationCodes)[number];

/** Codes of the admin services, which only tools for operators can receive. */
export type OperatorViolationCode =
  | "invalid"
  | "invalid_length"
  | "not_found"
  | "not_started"
  | "ended"
  | "active"
  | "invalid_state";

/** One violation of a request, which is an item of `details.violations`. An unknown code is a compile error. */
export type Violation = {
  /** JSON Pointer into the body, or `path:` or `header:` followed by the name of a parameter. */
  readonly path: string;
  readonly code: ViolationCode | OperatorViolationCode;
  readonly message: string;
};
