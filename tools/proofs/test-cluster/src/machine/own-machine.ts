import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tied } from "@platform/stack/child";
import { eventually } from "@platform/test-kit/eventually";

const controllers = [
  "cpu",
  "cpuacct",
  "cpuset",
  "memory",
  "devices",
  "freezer",
  "blkio",
  "pids",
  "systemd",
  "hugetlb",
  "unified",
];
/** Returns the folders of control groups: one for all controllers with version 2, otherwise one for each. */
const hierarchies = (): string[] =>
  existsSync("/sys/fs/cgroup/cgroup.controllers")
    ? ["/sys/fs/cgroup"]
    : controllers.map((name) => `/sys/fs/cgroup/${name}`).filter((path) => existsSync(path));

/**
 * The CPU weight of eight processes, by file of control groups 1 and 2. By default a group has the weight of one
 * process, and its pods would miss their deadlines on a busy machine.
 */
const weights = [
  ["cpu.shares", "8192"],
  ["cpu.weight", "800"],
] as const;

/**
 * Runs a script in separate process, mount and network namespaces, as if on its own machine. However the script ends,
 * the kernel removes everything that it started, mounted or routed, together with the namespaces. Only control groups
 * exist on the machine itself, and they are removed here.
 * @returns its exit code
 */
export async function runOnOwnMachine(folder: string, script: string, args: readonly string[]): Promise<number> {
  const group = `test-cluster-${process.pid}`;
  makeGroups(group);
  const namespaces = ["--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"];
  // The shell is the first process in the namespace and adopts processes whose parents have ended.
  const shell = ["bash", "-c", '"$@"; exit $?', "bash"];
  const [command, all] = tied("unshare", [
    ...namespaces,
    ...["--propagation", "private", "--"],
    ...shell,
    ...[process.execPath, "--disable-warning=ExperimentalWarning", script, ...args],
  ]);
  const child = spawn(command, all, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, CLUSTER_CGROUP: `/${group}`, CLUSTER_FOLDER: folder },
  });
  const stop = (): void => void child.kill("SIGKILL");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
  const [code] = (await once(child, "exit")) as [number | null];
  await removeGroups(group);
  return code ?? 130;
}

function makeGroups(group: string): void {
  for (const path of hierarchies()) {
    mkdirSync(join(path, group), { recursive: true });
    // A cpuset group accepts no process until processors and memory nodes are assigned to it.
    if (path.endsWith("/cpuset"))
      for (const name of ["cpuset.cpus", "cpuset.mems"])
        writeFileSync(join(path, group, name), readFileSync(join(path, name)));
    for (const [name, weight] of weights)
      if (existsSync(join(path, group, name))) writeFileSync(join(path, group, name), weight);
  }
}

/**
 * Removes the control groups. A group can be removed once its last process has ended, which is the case when the kernel has ended their namespace.
 */
async function removeGroups(group: string): Promise<void> {
  const remove = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) remove(join(path, entry.name));
    rmdirSync(path);
  };
  for (const path of hierarchies()) {
    const own = join(path, group);
    await eventually(
      () => {
        if (existsSync(own)) remove(own);
        return true;
      },
      { timeoutMs: 120_000, everyMs: 200, what: `${own} is removed` },
    );
  }
}
