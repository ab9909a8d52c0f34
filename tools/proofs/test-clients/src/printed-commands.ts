import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Env, run } from "./commands.ts";

/** Parts of a `commands.sh`: each begins with a comment of its first word, such as `# Generate the client.` */
export type CommandsPart = "Generate" | "Compile" | "Run";

/**
 * Runs one part of the `commands.sh` of a folder, which the guide to other languages prints, in one shell as a reader types it.
 * @returns what the commands printed
 */
export function runPrinted(folder: string, part: CommandsPart, env: Env): Promise<string> {
  const text = readFileSync(join(folder, "commands.sh"), "utf8");
  const [, commands] = new RegExp(`^# ${part} .*\\n([\\s\\S]*?)(?=^# |$(?![\\s\\S]))`, "m").exec(text) ?? [];
  if (commands === undefined) throw new Error(`${folder}/commands.sh has no part "${part}"`);
  return run("bash", ["-eu", "-o", "pipefail", "-c", commands], { cwd: folder, env });
}
