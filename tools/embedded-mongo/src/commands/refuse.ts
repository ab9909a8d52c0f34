import { CommandError } from "../errors.ts";
import type { Doc } from "../values.ts";

/** Rejects options that this engine does not support, instead of ignoring them. */
export function refuse(command: Doc, options: string[]): void {
  for (const option of options) {
    const value = command[option];
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "object" && Object.keys(value).length === 0) continue;
    if (option === "collation" && (value as Doc).locale === "simple") continue;
    throw new CommandError(238, `The option '${option}' is not supported by the embedded MongoDB`);
  }
}
