import type { Ctl, GlobalOptions } from "./ctl.ts";
import { errorLine } from "./error-line.ts";
import { createProgram } from "./program.ts";
import { waitingAct } from "./waiting-act.ts";

const args = process.argv.slice(2);
let opened: Promise<Ctl> | undefined;
// These modules are loaded on demand, because help needs neither gRPC nor a platform.
const openCtl = (): Promise<Ctl> =>
  (opened ??= import("./ctl.ts").then(({ createCtl }) => createCtl(process.env, () => program.opts<GlobalOptions>())));
const program = await createProgram(openCtl, args);

// A reader such as `| head` closes the pipe when it has read enough. This is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program.parseAsync(args, { from: "user" });
} catch (error) {
  const waiting = waitingAct(error);
  const line = errorLine(error as Error);
  if (waiting !== null) (await openCtl()).print(waiting);
  else if (line !== null) {
    process.stderr.write(`platformctl: ${line}\n`);
    process.exitCode = 1;
  }
} finally {
  (await opened)?.close();
}
