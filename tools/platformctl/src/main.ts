import { isServiceError } from "@platform/service-kit/errors/service-error";
import { createCtl } from "./ctl.ts";
import { createProgram } from "./program.ts";

const isJson = (): boolean => process.argv.includes("--json");
const ctl = createCtl(process.env, isJson);

// A reader that has seen enough (`| head`) closes the pipe; that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await createProgram(ctl).parseAsync();
} catch (error) {
  const known = isServiceError(error);
  const details = known && Object.keys(error.details).length > 0 ? ` ${JSON.stringify(error.details)}` : "";
  process.stderr.write(`platformctl: ${known ? `${error.code}: ` : ""}${(error as Error).message}${details}\n`);
  process.exitCode = 1;
} finally {
  ctl.close();
}
