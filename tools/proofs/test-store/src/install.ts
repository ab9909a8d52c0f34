import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCommand } from "./debian-root.ts";

/** Paths of the server's programs. */
export type Installation = {
  /** A separate Debian root, because PostgreSQL with DocumentDB is packaged only for sid. */
  readonly root: string;
  /** The server in front of it that speaks MongoDB's protocol. */
  readonly ferretdb: string;
};

const ferretdbModule = "github.com/FerretDB/FerretDB/v2/cmd/ferretdb@v2.7.0";
const goVersionMin = [1, 24] as const;

/** Lists what this machine lacks; empty if everything is present. */
export function missingRequirements(): string[] {
  const missing: string[] = [];
  if (process.platform !== "linux") missing.push("Linux, for a Debian root of its own");
  if (process.getuid?.() !== 0) missing.push("root, for chroot and for mounts in a namespace of its own");
  if (output("debootstrap", ["--version"]) === null) missing.push("debootstrap: apt-get install debootstrap");
  const go = /go(\d+)\.(\d+)/.exec(output("go", ["version"]) ?? "");
  const [major, minor] = [Number(go?.[1] ?? 0), Number(go?.[2] ?? 0)];
  if (major < goVersionMin[0] || (major === goVersionMin[0] && minor < goVersionMin[1])) {
    missing.push(`Go ${goVersionMin.join(".")} or newer${go === null ? "" : `; here is ${major}.${minor}`}`);
  }
  return missing;
}

/** Installs what is missing below the folder. It takes no time once everything exists. */
export async function install(folder: string, say: (text: string) => void): Promise<Installation> {
  mkdirSync(folder, { recursive: true });
  const root = join(folder, "root");
  const ferretdb = join(folder, "bin/ferretdb");
  const tasks: Promise<void>[] = [];
  if (!existsSync(join(root, installedMark))) {
    say("making a Debian sid root with postgresql-18-documentdb");
    tasks.push(installPostgres(root));
  }
  if (!existsSync(ferretdb)) {
    say(`building ${ferretdbModule}`);
    tasks.push(run("go", ["install", ferretdbModule], { GOBIN: join(folder, "bin") }));
  }
  await Promise.all(tasks);
  return { root, ferretdb };
}

/** This file is written last. A root without it comes from an interrupted installation. */
const installedMark = "etc/platform-test-store";

async function installPostgres(root: string): Promise<void> {
  rmSync(root, { recursive: true, force: true });
  const mirror = debianMirror();
  await run("debootstrap", ["--variant=minbase", "sid", root, ...(mirror === null ? [] : [mirror])]);
  // A mirror that is not up to date is acceptable, because its signatures are checked in any case.
  writeFileSync(join(root, "etc/apt/apt.conf.d/10test-store"), 'Acquire::Check-Valid-Until "false";\n');
  // The packages must neither start servers nor create a database, because every run does both itself.
  writeFileSync(join(root, "usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  mkdirSync(join(root, "etc/postgresql-common"), { recursive: true });
  writeFileSync(join(root, "etc/postgresql-common/createcluster.conf"), "create_main_cluster = false\n");
  const packages = "postgresql-18 postgresql-18-documentdb";
  const script = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages} && apt-get clean`;
  await run(...rootCommand(root, ["sh", "-c", script]), { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" });
  writeFileSync(join(root, installedMark), `${packages}\n`);
}

/** Returns the mirror that apt uses on this machine if it is a Debian, and otherwise the default of debootstrap. */
function debianMirror(): string | null {
  const sites = output("apt-get", [
    ...["indextargets", "--format", "$(SITE)"],
    ...["Created-By: Packages", "Origin: Debian", "Component: main"],
  ]);
  // Security updates come from a separate archive, which does not cover sid.
  return sites?.split("\n").find((site) => site !== "" && !site.includes("security")) ?? null;
}

function output(command: string, args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return null;
  }
}

/** Runs a command to its end and shows its output if it fails. */
export async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => said.push(bytes));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (code !== 0) {
    const output = Buffer.concat(said).toString().slice(-4_000);
    throw new Error(`${command} ended with ${signal ?? `code ${code}`}:\n${output}`);
  }
}
