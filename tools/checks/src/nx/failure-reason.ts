import { stripVTControlCharacters } from "node:util";

/**
 * A heading in vitest's output, such as `⎯⎯ Unhandled Rejection ⎯⎯`. The heading `Unhandled Errors` precedes those of
 * the single errors.
 */
const title = /^⎯+ (?!Unhandled Errors )[A-Z][^⎯]* ⎯+$/;

/**
 * Returns in one line why a run of vitest failed although no test did: its first unhandled error and the file that was
 * running, otherwise its last lines. vitest's JSON report contains neither.
 * @param output everything that the run printed
 */
export function failureReason(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const at = lines.findIndex((line) => title.test(line));
  if (at === -1) return lines.slice(-3).join(" | ");
  const error = lines.slice(at).map((line) => line.replaceAll("⎯", "").trim());
  const origin = error.find((line) => line.startsWith("This error originated in"));
  return [...error.slice(0, 3), ...(origin === undefined ? [] : [origin])].join(" | ");
}
