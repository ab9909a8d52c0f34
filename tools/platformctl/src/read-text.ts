import { readFileSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes the bytes of a text that a person wrote. A byte-order mark of UTF-8 is dropped. Anything that is not UTF-8 is rejected, because replacement
 * characters would otherwise be stored and sent to people.
 * @param where the option and the file, for the message: `--file catalog.yaml`
 * @throws UsageError that names the first line that is not UTF-8
 */
export function decodeText(bytes: Uint8Array, where: string): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw new UsageError(`${where}: the text is UTF-16; save it as UTF-8`);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new UsageError(`${where}: line ${firstBrokenLine(bytes)} is not UTF-8; save the text as UTF-8`);
  }
}

/** Reads a file of text. @throws UsageError when it cannot be read or is not UTF-8 */
export function readTextFile(path: string, option: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UsageError(`${option} ${path}: ${(error as Error).message}`);
  }
  return decodeText(bytes, `${option} ${path}`);
}

/**
 * Returns the number of the first line that is not UTF-8. In UTF-8, the byte of a line feed is never part of another character, so each line can be decoded
 * separately.
 */
function firstBrokenLine(bytes: Uint8Array): number {
  let start = 0;
  for (let line = 1; ; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    try {
      utf8.decode(bytes.subarray(start, end === -1 ? bytes.length : end));
    } catch {
      return line;
    }
    if (end === -1) return line;
    start = end + 1;
  }
}
