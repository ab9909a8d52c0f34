import { spawn, spawnSync } from "node:child_process";

/** Environment whose PATH omits the project's own Node, so that programs find the Node of the machine. */
export type Env = Readonly<Record<string, string | undefined>>;

const minutesMax = 15;

/** Runs a program to its end and returns its output. Rejects with the end of its output if it fails. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Env; readonly input?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      timeout: minutesMax * 60_000,
    });
    let output = "";
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      printed += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}\n${printed.slice(-6_000)}`));
    });
    child.stdin.end(options.input ?? "");
  });
}

const programs = [
  { command: "go", args: ["version"], hint: "Go 1.25 or newer" },
  { command: "python3", args: ["-m", "venv", "--help"], hint: "Python 3.11 or newer with venv (Debian: python3-venv)" },
  { command: "javac", args: ["-version"], hint: "a Java development kit 17 or newer (Debian: default-jdk-headless)" },
  { command: "mvn", args: ["-version"], hint: "Maven (Debian: maven)" },
] as const;

/** Lists the programs that this machine lacks, one per line. */
export function missingPrograms(): string[] {
  return programs.flatMap(({ command, args, hint }) =>
    spawnSync(command, args, { stdio: "ignore" }).status === 0 ? [] : [`${command}: ${hint}`],
  );
}
