/** A part of a representation, both ends included (RFC 9110 section 14.1.2). */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * Reads a Range header for a representation of `size` bytes.
 * @returns one range; `"unsatisfiable"` if it is outside of the representation (416); or `null` if the whole
 * representation is sent. This is the case without a header, for another unit, for a malformed header (which must be
 * ignored, RFC 9110 section 14.2), and for several ranges, which a server may ignore
 */
export function readByteRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  if (header === undefined) return null;
  const match = /^bytes\s*=\s*(\d*)-(\d*)\s*$/i.exec(header);
  if (match === null) return null;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Number(last);
    if (length === 0 || size === 0) return "unsatisfiable";
    return { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}
