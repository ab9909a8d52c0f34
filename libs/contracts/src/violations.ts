import type { z } from "zod";

/** A violation of the contract in a request, as `error.details.violations` reports it. */
export type Violation = {
  /** JSON Pointer (RFC 6901) into the body, or `path:` or `header:` followed by the name of a parameter. */
  readonly path: string;
  readonly code: ViolationCode;
  /** The requirement on the value, as a sentence without its subject. It never repeats the caller's values. */
  readonly message: string;
};

/**
 * The violation codes that schemas use. They are a part of the published list, with which the gateway's types compare
 * them.
 */
export type ViolationCode =
  | "required"
  | "unknown_property"
  | "invalid_type"
  | "invalid_value"
  | "invalid_format"
  | "too_short"
  | "too_long"
  | "too_small"
  | "too_big"
  | "not_unique";

/** Maximum number of violations in one response. */
export const violationsMax = 50;

/** Where a validated value comes from: the body, the path parameters, or one header. */
export type ViolationPrefix = "" | "path:" | `header:${string}`;

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/**
 * Validates `value` with `schema`. Returns the value as handlers receive it (defaults applied, date-times and UUIDs
 * normalized), or all violations, at most `violationsMax`.
 *
 * `prefix` says where the value comes from: "" for a body (its root is `/`), "path:" for an object of path parameters,
 * "header:Name" for the value of one header.
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  prefix: ViolationPrefix = "",
): Validation<z.output<S>> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  // Only the first violation at each path is kept. For the string "abc", zod reports both that it is not an array and
  // that it has too many items.
  const violations = new Map<string, Violation>();
  const note = (path: string, rest: Pick<Violation, "code" | "message">) => {
    if (!violations.has(path)) violations.set(path, { path, ...rest });
  };
  for (const issue of parsed.error.issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys.slice(0, violationsMax)) {
        note(violationPath(prefix, [...issue.path, key]), unknownProperty);
      }
    } else {
      const absent = issue.code !== "custom" && isAbsent(value, issue.path);
      note(violationPath(prefix, issue.path), absent ? required : describe(issue));
    }
    if (violations.size >= violationsMax) break;
  }
  return { ok: false, violations: [...violations.values()].slice(0, violationsMax) };
}

const required = { code: "required", message: "is required" } as const;
const unknownProperty = { code: "unknown_property", message: "is not a property of this object" } as const;

/**
 * Returns the pointer of `segments` after `prefix`. Parameters have their plain name (`path:transactionId`), and the
 * root of a body is `/`.
 */
export function violationPath(prefix: ViolationPrefix, segments: readonly PropertyKey[]): string {
  const pointer = segments
    .map((segment) => `/${String(segment).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
  if (prefix === "") return pointer === "" ? "/" : pointer;
  return prefix.endsWith(":") ? prefix + pointer.slice(1) : prefix + pointer;
}

/** Returns whether there is no value at `path`. JSON has no undefined, so an undefined value was not sent. */
function isAbsent(value: unknown, path: readonly PropertyKey[]): boolean {
  let found = value;
  for (const segment of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, segment)) return true;
    found = (found as Record<PropertyKey, unknown>)[segment];
  }
  return found === undefined;
}

const formatMessages: Readonly<Record<string, string>> = {
  text: "must not contain NUL characters or lone surrogates",
  hex64: "must be 64 lower-case hexadecimal characters",
  uuid: "must be a UUID",
  email: "must be an email address",
  uri: "must be an absolute URI (RFC 3986)",
  datetime: "must be an RFC 3339 date-time with an offset, such as 2026-01-31T09:30:00Z",
  idempotency_key: "must be printable ASCII without spaces",
};

const typeNames: Readonly<Record<string, string>> = {
  int: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  object: "an object",
  array: "an array",
};

/**
 * Returns the code and message of one issue. All issues that the contract's schemas raise are covered; any other
 * becomes invalid_value.
 */
function describe(issue: z.core.$ZodIssue): Pick<Violation, "code" | "message"> {
  switch (issue.code) {
    case "invalid_type":
      return { code: "invalid_type", message: `must be ${typeNames[issue.expected] ?? `a ${issue.expected}`}` };
    case "too_small":
      return bound(issue.origin, "at least", Number(issue.minimum), "too_short", "too_small");
    case "too_big":
      return bound(issue.origin, "at most", Number(issue.maximum), "too_long", "too_big");
    case "invalid_format":
      return {
        code: "invalid_format",
        message:
          formatMessages[issue.format] ??
          (issue.pattern === undefined ? "has the wrong format" : `must match ${issue.pattern}`),
      };
    case "invalid_value":
      return { code: "invalid_value", message: `must be one of ${issue.values.map(String).join(", ")}` };
    case "custom":
      return { code: issue.params?.violation as ViolationCode, message: issue.message };
    default:
      return { code: "invalid_value", message: "is not a value the contract allows" };
  }
}

const countedUnits: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["item", "items"],
  object: ["property", "properties"],
};

function bound(
  origin: string,
  relation: "at least" | "at most",
  limit: number,
  lengthCode: ViolationCode,
  valueCode: ViolationCode,
): Pick<Violation, "code" | "message"> {
  const units = countedUnits[origin];
  if (units === undefined) return { code: valueCode, message: `must be ${relation} ${limit}` };
  const [one, many] = units;
  const verb = origin === "string" ? "be" : "have";
  const suffix = origin === "string" ? " long" : "";
  return { code: lengthCode, message: `must ${verb} ${relation} ${limit} ${limit === 1 ? one : many}${suffix}` };
}
