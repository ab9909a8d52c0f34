/** The validators of a representation. Bytes under a key never change, so the ETag is strong. */
export type Validators = { readonly etag: string; readonly lastModified: Date };

/** The request headers of a conditional read. */
export type ConditionHeaders = {
  readonly "if-match"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
  readonly "if-modified-since"?: string | undefined;
  readonly "if-unmodified-since"?: string | undefined;
  readonly "if-range"?: string | undefined;
};

/** Evaluates the preconditions of a GET or HEAD in the order of RFC 9110 section 13.2.2. */
export function evaluateConditions(headers: ConditionHeaders, validators: Validators): "proceed" | 304 | 412 {
  const modifiedMs = Math.floor(validators.lastModified.getTime() / 1000) * 1000;
  if (headers["if-match"] !== undefined) {
    if (!listsTag(headers["if-match"], validators.etag, "strong")) return 412;
  } else if (headers["if-unmodified-since"] !== undefined) {
    const sinceMs = Date.parse(headers["if-unmodified-since"]);
    if (modifiedMs > sinceMs) return 412;
  }
  if (headers["if-none-match"] !== undefined) {
    return listsTag(headers["if-none-match"], validators.etag, "weak") ? 304 : "proceed";
  }
  if (headers["if-modified-since"] !== undefined) {
    const sinceMs = Date.parse(headers["if-modified-since"]);
    if (modifiedMs <= sinceMs) return 304;
  }
  return "proceed";
}

/**
 * Returns whether the Range header may be used. If-Range matches only the identical representation (RFC 9110 section
 * 13.1.5).
 */
export function rangeApplies(headers: ConditionHeaders, validators: Validators): boolean {
  const ifRange = headers["if-range"];
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"')) return ifRange === validators.etag;
  if (ifRange.startsWith("W/")) return false;
  return Date.parse(ifRange) === Math.floor(validators.lastModified.getTime() / 1000) * 1000;
}

function listsTag(header: string, etag: string, comparison: "strong" | "weak"): boolean {
  if (header.trim() === "*") return true;
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => tag === etag || (comparison === "weak" && tag === `W/${etag}`));
}
