import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/**
 * Returns the port that a service's process logs at its start. Its later output is discarded.
 * @param output the process's stdout; it must log at `info`
 * @throws Error with the whole log if the process ends first
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
