import { consoleLine } from "@platform/stack/console-lines";
import { type LocalPlatform, localPlatformOptions, startLocalPlatform } from "./start-local-platform.ts";

// The process of the image platform-local. It prints one line of JSON to standard output once the platform serves;
// everything else goes to standard error. With --once it then exits: building the image runs it this way, which leaves
// the compiled sources in the image.
const once = process.argv.includes("--once");
const showAll = process.env.STACK_LOGS === "all";
const say = (text: string): void => void process.stderr.write(`platform-local: ${text}\n`);

let platform: LocalPlatform | null = null;
let isStopping = false;
async function stop(exitCode: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await platform?.stack.stop();
  process.exit(exitCode);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop(0));

try {
  platform = await startLocalPlatform({
    ...localPlatformOptions(process.env),
    onLine: (name, line) => {
      const text = consoleLine(name, line, showAll);
      if (text !== null && !isStopping) process.stderr.write(`${text}\n`);
    },
    onUnexpectedExit: (name, how) => {
      say(`${name} ${how}`);
      void stop(1);
    },
  });
  if (once) await stop(0);
  else process.stdout.write(`${JSON.stringify(platform.facts)}\n`);
} catch (error) {
  if (!isStopping) {
    say(`cannot start: ${(error as Error).message}`);
    await stop(1);
  }
}
