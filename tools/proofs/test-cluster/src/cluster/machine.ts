import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Child, startChild } from "@platform/stack/child";

const run = promisify(execFile);

export const node = { name: "node", address: "10.66.0.1", podCidr: "10.244.0.0/24" } as const;
export const services = { cidr: "10.96.0.0/16", dns: "10.96.0.10", nodePorts: "25600-25699" } as const;

/** Runs a program to its end and returns its output. Rejects with its error output if it fails. */
export async function command(program: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  return (await run(program, args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
}

/**
 * Sets up the network and the folders of a node in the namespaces of this process: an address that is not loopback,
 * forwarding between pods, and empty folders at the places that a kubelet and its container runtime share with the
 * machine.
 */
export async function prepareMachine(folder: string): Promise<void> {
  const ip = (...args: string[]): Promise<string> => command("ip", ...args);
  await ip("link", "set", "lo", "up");
  await ip("link", "add", "uplink", "type", "veth", "peer", "name", "outside");
  await ip("address", "add", `${node.address}/24`, "dev", "uplink");
  for (const name of ["uplink", "outside"]) await ip("link", "set", name, "up");
  // Addresses outside of the cluster need a route, even one that leads nowhere.
  await ip("route", "add", "default", "via", "10.66.0.254", "dev", "uplink");
  const sysctl = (name: string, value: string): void => writeFileSync(join("/proc/sys", name), value);
  sysctl("net/ipv4/ip_forward", "1");
  sysctl("net/ipv4/conf/all/rp_filter", "0");
  sysctl("net/bridge/bridge-nf-call-iptables", "1");
  await command("mount", "--make-rshared", "/");
  for (const path of ["/run", "/var/lib", "/var/log"]) await command("mount", "-t", "tmpfs", "tmpfs", path);
  mkdirSync(join(folder, "logs"), { recursive: true });
  await hideKernelSettings(folder);
  // The node uses the cluster's DNS, so that the names in certificates lead to pods.
  const resolver = join(folder, "resolv.conf");
  writeFileSync(
    resolver,
    `nameserver ${services.dns}\nsearch platform-local.svc.cluster.local platform-small.svc.cluster.local\noptions ndots:2\n`,
  );
  await command("mount", "--bind", resolver, "/etc/resolv.conf");
}

/**
 * Hides kernel settings behind files with the values that the kubelet expects, because it would otherwise change them
 * for the whole machine.
 */
async function hideKernelSettings(folder: string): Promise<void> {
  const wanted = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1_000_000,
    "kernel/keys/root_maxbytes": 25_000_000,
  };
  for (const [name, value] of Object.entries(wanted)) {
    const path = join(folder, name.replaceAll("/", "."));
    writeFileSync(path, `${value}\n`);
    await command("mount", "--bind", path, join("/proc/sys", name));
  }
}

/** Starts a process of the cluster. Its output is stored in a file with its name. */
export function startProcess(folder: string, name: string, program: string, args: readonly string[]): Child {
  const path = `${process.env.PATH}:/usr/sbin:/sbin`;
  return startChild(
    {
      name,
      command: program,
      args,
      env: { PATH: path, HOME: folder },
      cwd: folder,
      logPath: join(folder, "logs", `${name}.log`),
    },
    () => {},
  );
}
