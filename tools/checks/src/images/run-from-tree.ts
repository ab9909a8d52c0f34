import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile } from "node:fs/promises";
import { join } from "node:path";

/** The uid and gid of a process in an image, which are those of nobody. */
export const imageUid = 65_534;

/** A process that runs from an app's tree as it would in its image. */
export type TreeProcess = {
  /** Returns its output so far. */
  output(): string;
  /** Returns its exit code or signal, or null while it is running. */
  ended(): string | null;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
};

/** Copies the Node binary that runs this process next to the trees, where every user may run it. @returns its path */
export async function placeNode(directory: string): Promise<string> {
  await chmod(directory, 0o755);
  const path = join(directory, "node");
  await copyFile(process.execPath, path);
  await chmod(path, 0o755);
  return path;
}

/**
 * Starts an entry point of a tree: no file of the repository is reachable by a relative path, the working directory
 * belongs to another user, and if this process is root, it runs as nobody without the possibility to gain privileges.
 */
export function runFromTree(options: {
  readonly node: string;
  readonly appDirectory: string;
  readonly entry: string;
  /** The entry point's own arguments. */
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}): TreeProcess {
  const asNobody = ["--reuid", `${imageUid}`, "--regid", `${imageUid}`, "--clear-groups", "--no-new-privs", "--"];
  const isRoot = process.getuid?.() === 0;
  const [command, args] = isRoot ? ["setpriv", [...asNobody, options.node]] : [options.node, []];
  const child: ChildProcess = spawn(command, [...args, options.entry, ...(options.args ?? [])], {
    cwd: options.appDirectory,
    env: { ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let ended: string | null = null;
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, "exit").then(([code, signal]) => {
    ended = signal === null ? `code ${code}` : `signal ${signal}`;
    return code as number | null;
  });
  return {
    output: () => output,
    ended: () => ended,
    stop: async () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}
