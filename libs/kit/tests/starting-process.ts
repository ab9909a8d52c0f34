import { once } from "node:events";
import { createInterface } from "node:readline";
import { silentLogger } from "../src/process/logger.ts";
import { run } from "../src/process/run.ts";

// A process that is starting until it reads a line from its standard input, for tests that stop it in the meantime.
const say = (text: string): void => void process.stdout.write(`${text}\n`);

await run(async () => {
  say("STARTING");
  await once(createInterface(process.stdin), "line");
  say("STARTED");
  return { logger: silentLogger(), stopServing: () => say("UNREADY"), close: async () => say("CLOSED") };
});
