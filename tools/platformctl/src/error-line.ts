import { isServiceError } from "@platform/kit/rpc/errors";
import { CommanderError } from "commander";
import { printable } from "./printable.ts";
import { UsageError } from "./usage-error.ts";

/** Formats an error as one line. Returns null if help was requested. */
export function errorLine(error: Error): string | null {
  const line = lineOf(error);
  return line === null ? null : printable(line);
}

function lineOf(error: Error): string | null {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    return error.code === "commander.help"
      ? "usage: a command is missing; --help lists the commands"
      : `usage: ${oneLine(error.message)}`;
  }
  if (error instanceof UsageError) return `usage: ${oneLine(error.message)}`;
  if (!isServiceError(error)) return oneLine(error.message);
  const details = Object.keys(error.details).length > 0 ? ` ${JSON.stringify(error.details)}` : "";
  return `${error.code}: ${oneLine(error.message)}${details}`;
}

function oneLine(message: string): string {
  return message
    .replace(/^error: /, "")
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
}
