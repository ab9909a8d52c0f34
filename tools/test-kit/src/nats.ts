import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { startOnFreePort, startTestProcess } from "./test-process.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/** A nats-server with JetStream for one test, on disk, so that it may be killed and restarted. */
export type TestNats = TestServer & {
  readonly url: string;
  /** Folder in which JetStream keeps its streams. */
  readonly directory: string;
  /** Removes every stream of a killed server. */
  emptyDisk(): Promise<void>;
};

/** @param args further arguments of nats-server, such as a user and its password */
export function startTestNats(args: readonly string[] = []): Promise<TestNats> {
  return startOnFreePort((port) => startServer(port, args));
}

type TestNatsCluster = { servers: TestNats[]; urls: string; close(): Promise<void> };

/** Starts three servers, connected by routes, that replicate streams. */
export function startTestNatsCluster(): Promise<TestNatsCluster> {
  return startOnFreePort(startCluster);
}

async function startCluster(): Promise<TestNatsCluster> {
  const [ports, routePorts, monitorPorts] = await Promise.all([freePorts(3), freePorts(3), freePorts(3)]);
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  const starting = ports.map((port, index) => {
    const monitor = monitorPorts[index] ?? 0;
    const args = ["--name", `node-${index}`, "--cluster_name", "test", "--cluster", routes[index] ?? ""];
    // The server is healthy once the cluster has a leader and this server has received all its data.
    const isHealthy = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${monitor}/healthz`)).ok;
    return startServer(port, [...args, "--routes", routes.join(","), "-m", `${monitor}`], isHealthy);
  });
  const close = async (): Promise<void> => {
    const settled = await Promise.allSettled(starting);
    await Promise.all(settled.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined)));
  };
  try {
    const servers = await Promise.all(starting);
    return { servers, urls: servers.map(({ url }) => url).join(","), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startServer(
  port: number,
  extra: readonly string[],
  isHealthy: () => Promise<boolean> = async () => true,
): Promise<TestNats> {
  const server = await startTestServer(
    "nats",
    (directory) => {
      const args = ["-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", directory, "--ports_file_dir", directory];
      // Debian installs it in a folder that is only on root's PATH.
      const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
      return startTestProcess("nats-server", [...args, ...extra], { env });
    },
    (started, directory) => {
      // The server writes this file when it listens. Another process at the port would respond as well.
      const listens = (): boolean => existsSync(join(directory, `nats-server_${started.pid}.ports`));
      return started.until(async () => listens() && (await isHealthy()), { what: "nats-server is ready" });
    },
  );
  const emptyDisk = (): Promise<void> => rm(join(server.directory, "jetstream"), { recursive: true, force: true });
  return { ...server, url: `nats://127.0.0.1:${port}`, emptyDisk };
}

/** Returns free ports that differ from each other. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
