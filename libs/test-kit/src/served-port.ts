import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/**
 * The port a service's process says in its log that it serves on; what it logs after that is read and dropped.
 * @param output the process's stdout; it must log at `info`
 * @throws Error with all that was logged when the process ends before
 */
export async function servedPort(output: Readable | null): Promise<number> {
  if (output === null) throw new Error("the process has no output");
  const said: string[] = [];
  for await (const line of createInterface({ input: output })) {
    said.push(line);
    const entry = JSON.parse(line) as { msg?: string; port?: number };
    if (entry.msg !== "serving" || entry.port === undefined) continue;
    output.resume();
    return entry.port;
  }
  throw new Error(`the process ended before it served:\n${said.join("\n")}`);
}
