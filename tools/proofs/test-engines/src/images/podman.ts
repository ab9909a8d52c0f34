import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Images and containers that only these tests use, separate from others that podman has on this machine. */
export type Podman = {
  /** Runs a podman command to its end and returns its output. Rejects with its last lines if it fails. */
  run(...args: readonly string[]): Promise<string>;
  /** State or exit of a container, and the last lines of both its outputs. */
  story(name: string): Promise<string>;
};

/** @param folder folder in which podman stores images and containers */
export function openPodman(folder: string): Podman {
  // podman rejects a path of more than 50 characters, which the folder of a checkout easily exceeds. The path has to
  // stay the same for the contents of `folder`.
  const short = join(tmpdir(), `podman-${createHash("sha256").update(folder).digest("hex").slice(0, 8)}`);
  const own = ["--root", `${folder}/storage`, "--runroot", `${short}/run`, "--tmpdir", `${short}/tmp`];
  // Works without systemd. If overlay mounts are not available, STORAGE_DRIVER=vfs works without them, but slowly.
  const driver = process.env.STORAGE_DRIVER ?? "overlay";
  const machine = ["--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "file"];
  const all = [...own, ...machine, "--storage-driver", driver];
  return {
    run: (...args) => output("podman", [...all, ...args]),
    story: (name) =>
      output("sh", [
        "-c",
        'name=$1; shift; "$@" inspect --format "{{json .State}}" "$name" 2>&1; "$@" logs --tail 20 "$name" 2>&1',
        "sh",
        name,
        "podman",
        ...all,
      ]).catch((error: Error) => error.message),
  };
}

/** Runs a program to its end and returns its standard output. */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const printed: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => printed.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => said.push(bytes));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  const text = Buffer.concat(printed).toString();
  if (code === 0) return text;
  const last = `${text.slice(-2_000)}\n${Buffer.concat(said).toString().slice(-4_000)}`;
  throw new Error(`${command} ${args.slice(-3).join(" ")} ended with ${signal ?? `code ${code}`}:\n${last}`);
}
