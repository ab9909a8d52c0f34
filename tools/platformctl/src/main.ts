import { isServiceError } from "@platform/service-kit/errors/service-error";
import { CommanderError } from "commander";
import { createCtl, type GlobalOptions } from "./ctl.ts";
import { createProgram } from "./program.ts";
import { UsageError } from "./usage-error.ts";

const ctl = createCtl(process.env, () => program.opts<GlobalOptions>());
const program = createProgram(ctl);

// A reader that has seen enough (`| head`) closes the pipe; that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  const line = errorLine(error as Error);
  if (line !== null) {
    process.stderr.write(`platformctl: ${line}\n`);
    process.exitCode = 1;
  }
} finally {
  ctl.close();
}

/** What to say of an error in one line, or null when it is none: help was asked for. */
function errorLine(error: Error): string | null {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    return error.code === "commander.help"
      ? "usage: name a command; --help lists them"
      : `usage: ${oneLine(error.message)}`;
  }
  if (error instanceof UsageError) return `usage: ${oneLine(error.message)}`;
  if (!isServiceError(error)) return error.message;
  const details = Object.keys(error.details).length > 0 ? ` ${JSON.stringify(error.details)}` : "";
  return `${error.code}: ${error.message}${details}`;
}

function oneLine(message: string): string {
  return message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
}
