/** Violation codes: the closed list that the API returns and its OpenAPI document publishes. */
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

/** Codes of the admin services, which only tools for operators receive. */
export type OperatorViolationCode =
  | "invalid"
  | "invalid_length"
  | "not_found"
  | "not_started"
  | "ended"
  | "active"
  | "invalid_state";

/** One violation of a request, as an item of `details.violations`. An unknown code is a compile error. */
export type Violation = {
  /** JSON Pointer into the body; with `path:` or `header:` in front of a parameter's name for those. */
  readonly path: string;
  readonly code: ViolationCode | OperatorViolationCode;
  readonly message: string;
};
