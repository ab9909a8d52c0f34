/**
 * Maximum size of an error's details between two processes, in bytes. They are sent in trailing metadata in base64, of
 * which an HTTP/2 peer accepts 64 KiB in total: it resets a stream with more, and the caller would get 500.
 */
export const detailsBytesMax = 24 * 1024;

/** Longest message of an error, in characters. */
export const messageLengthMax = 512;

const pathLengthMax = 256;

/**
 * The details as JSON in at most `detailsBytesMax` bytes; "" for none. Names that callers chose may have any length, so
 * long paths of violations are shortened, and only the first violations that fit are kept. Details that are too long
 * for another reason are left out.
 */
export function boundedDetails(details: Readonly<Record<string, unknown>>): string {
  if (Object.keys(details).length === 0) return "";
  const whole = JSON.stringify(details);
  if (Buffer.byteLength(whole) <= detailsBytesMax) return whole;
  const { violations } = details;
  if (!Array.isArray(violations)) return "";
  const kept: unknown[] = [];
  let bytes = Buffer.byteLength(JSON.stringify({ ...details, violations: [] }));
  for (const violation of violations) {
    const short = withShortPath(violation);
    bytes += Buffer.byteLength(JSON.stringify(short)) + 1;
    if (bytes > detailsBytesMax) break;
    kept.push(short);
  }
  return kept.length === 0 ? "" : JSON.stringify({ ...details, violations: kept });
}

function withShortPath(violation: unknown): unknown {
  const { path } = violation as { path?: unknown };
  return typeof path === "string" ? { ...(violation as object), path: shortened(path, pathLengthMax) } : violation;
}

/** The text in at most `lengthMax` characters; an ellipsis replaces the rest. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  // Cut between characters: half of a surrogate pair would not survive UTF-8.
  return `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
