import { parseSync } from "oxc-parser";

/** Replaces every character except line breaks by a space, so that lines and columns stay the same. */
const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/**
 * Returns the source with everything except its comments blanked. Inline code within a comment is blanked as well,
 * because its words are names.
 */
export function commentsOf(path: string, source: string): string {
  let result = "";
  let copiedUntil = 0;
  for (const { start, end } of parseSync(path, source).comments) {
    result += blank(source.slice(copiedUntil, start)) + source.slice(start, end).replace(/`[^`]*`/g, blank);
    copiedUntil = end;
  }
  return result + blank(source.slice(copiedUntil));
}
