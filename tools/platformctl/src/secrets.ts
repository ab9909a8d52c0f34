import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { decodeText } from "./read-text.ts";
import { UsageError } from "./usage-error.ts";

/** Everything on standard input, without the line break at its end. @throws UsageError when it is not UTF-8 */
export async function readStandardInput(): Promise<string> {
  return decodeText(await buffer(process.stdin), "standard input").replace(/\r?\n$/, "");
}

/**
 * A secret that is no argument, because arguments are seen by everybody on the machine: from standard input, or asked for on a terminal.
 * @param option name of the flag that says it is on standard input, for the message: `--password-stdin`
 */
export async function readSecret(option: string, isOnStandardInput: boolean, label: string): Promise<string> {
  if (!isOnStandardInput && !process.stdin.isTTY) throw new UsageError(`give ${option}, or run on a terminal`);
  const secret = isOnStandardInput ? await readStandardInput() : await ask(label);
  if (secret === "") throw new UsageError(`${label} is empty`);
  return secret;
}

/** Asks on the terminal, without showing what is typed. */
async function ask(label: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(`${label}: `);
  const answer = await line.question("");
  line.close();
  process.stderr.write("\n");
  return answer;
}
