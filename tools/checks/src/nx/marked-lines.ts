/** Starts a line in which a check reports a part that it skipped because a program is missing. */
export const skippedMark = "skipped: ";

/** Starts a line of advice. A check that prints one still passes. */
export const warningMark = "warning: ";

/** Returns the rest of each line of an output that starts with the mark. */
export function linesMarked(mark: string, output: string): string[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(mark.length));
}
