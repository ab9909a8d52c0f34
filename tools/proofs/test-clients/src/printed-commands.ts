import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Env, run } from "./commands.ts";

/**
 * Sections of a `commands.sh`. Each begins with a comment that starts with the section's name, such as `# Generate the
 * client.`
 */
export type CommandsPart = "Generate" | "Compile" | "Run";

/**
 * Runs one section of the `commands.sh` of a folder, which the guide for other languages prints, in a single shell like
 * a reader.
 * @returns the output of the commands
 */
export function runPrinted(folder: string, part: CommandsPart, env: Env): Promise<string> {
  const text = readFileSync(join(folder, "commands.sh"), "utf8");
  const [, commands] = new RegExp(`^# ${part} .*\\n([\\s\\S]*?)(?=^# |$(?![\\s\\S]))`, "m").exec(text) ?? [];
  if (commands === undefined) throw new Error(`${folder}/commands.sh has no part "${part}"`);
  return run("bash", ["-eu", "-o", "pipefail", "-c", commands], { cwd: folder, env });
}
