import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { canPin } from "@platform/stack/placement";

/** What a run was made on, so that its figures can be read. */
export type Machine = { readonly lines: readonly string[]; readonly isMongoEmbedded: boolean };

/**
 * Names the machine, the versions, and how the parts were placed.
 * @param store the server that MONGODB_URI names, which then comes first; null without one
 */
export async function machineOf(store: string | null): Promise<Machine> {
  const cpu = cpus()[0]?.model ?? "unknown CPU";
  const isMongoEmbedded = store === null && versionOf("mongod", ["--version"]) === null;
  const mongo = isMongoEmbedded ? "embedded engine" : "mongod";
  return {
    isMongoEmbedded,
    lines: [
      ...(store === null ? [] : [`store      ${store}`]),
      `machine    ${availableParallelism()} × ${cpu}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`,
      `node       ${process.version}`,
      `redis      ${versionOf("redis-server", ["--version"]) ?? "given"}`,
      `nginx      ${versionOf("/usr/sbin/nginx", ["-v"]) ?? "not installed"}`,
      ...(store === null ? [`mongodb    ${mongo}`] : []),
      `load       ${loadAverage()} before the run (1, 5, 15 minutes); what else the machine does is in the figures`,
      `placement  ${canPin ? "measured process on core 0, generator on the last core, the rest between" : "left to the kernel"}`,
    ],
  };
}

function loadAverage(): string {
  return readFileSync("/proc/loadavg", "utf8").split(" ").slice(0, 3).join(" ");
}

function versionOf(command: string, args: readonly string[]): string | null {
  try {
    const text = execFileSync("/bin/sh", ["-c", `${command} ${args.join(" ")} 2>&1`], { encoding: "utf8" });
    return /(\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1] ?? null;
  } catch {
    return null;
  }
}
