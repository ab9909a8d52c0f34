/** Begins a line by which a check says what it did not check, for lack of a program. */
export const skippedMark = "skipped: ";

/** What the checks of a task with this output did not check. */
export function skippedIn(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith(skippedMark))
    .map((line) => line.slice(skippedMark.length));
}
