/**
 * Maximum size of an error's details between two processes, in bytes. Details are sent as base64 in trailing metadata.
 * An HTTP/2 peer accepts 64 KiB of metadata and resets a stream with more, so that the caller would receive a 500.
 */
export const detailsBytesMax = 24 * 1024;

/** Maximum length of an error message, in characters. */
export const messageLengthMax = 512;

const pathLengthMax = 256;

/**
 * Returns the details as JSON of at most `detailsBytesMax` bytes; "" if there are none. Callers choose names of any
 * length, so long paths of violations are shortened, and only the first violations that fit are kept. Details that are
 * too long for another reason are omitted.
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

/** Shortens the text to at most `lengthMax` characters. An ellipsis replaces the rest. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  // The cut must not split a surrogate pair, because half of one cannot be encoded in UTF-8.
  return `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
