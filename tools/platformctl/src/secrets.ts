import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { decodeText } from "./read-text.ts";
import { UsageError } from "./usage-error.ts";

/** Reads everything from standard input, without the line break at its end. @throws UsageError if it is not UTF-8 */
export async function readStandardInput(): Promise<string> {
  return decodeText(await buffer(process.stdin), "standard input").replace(/\r?\n$/, "");
}

/**
 * Reads a secret. It is never an argument, because everyone on the machine can see arguments: it comes from standard
 * input, or a terminal prompts for it.
 * @param option name of the flag for standard input, for the message: `--password-stdin`
 */
export async function readSecret(
  ctl: { readStandardInput(): Promise<string> },
  option: string,
  isOnStandardInput: boolean,
  label: string,
): Promise<string> {
  if (!isOnStandardInput && !process.stdin.isTTY) throw new UsageError(`give ${option}, or run on a terminal`);
  const secret = isOnStandardInput ? await ctl.readStandardInput() : await ask(label);
  if (secret === "") throw new UsageError(`${label} is empty`);
  return secret;
}

/** Prompts on the terminal, without showing what is typed. */
async function ask(label: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(`${label}: `);
  const answer = await line.question("");
  line.close();
  process.stderr.write("\n");
  return answer;
}
