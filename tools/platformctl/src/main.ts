import { createCtl, type GlobalOptions } from "./ctl.ts";
import { errorLine } from "./error-line.ts";
import { createProgram } from "./program.ts";

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
