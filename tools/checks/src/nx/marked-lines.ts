/** Begins a line by which a check says what it did not check, for lack of a program. */
export const skippedMark = "skipped: ";

/** Begins a line of advice. A check that prints one still passes. */
export const warningMark = "warning: ";

/** Returns the rest of each line of an output that begins with the mark. */
export function linesMarked(mark: string, output: string): string[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(mark.length));
}
