import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { startOnFreePort, startTestProcess, type TestProcess } from "./test-process.ts";

/** A nats-server with JetStream for one test, on disk, so that it may be killed and restarted. */
export type TestNats = {
  readonly url: string;
  /** Where JetStream keeps its streams. */
  readonly directory: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Stops answering, with its connections open, until `resume`. */
  pause(): void;
  resume(): void;
  /** Removes every stream of a killed server. */
  emptyDisk(): Promise<void>;
  close(): Promise<void>;
};

/** @param args further arguments of nats-server, such as a user and its password */
export function startTestNats(args: readonly string[] = []): Promise<TestNats> {
  return startOnFreePort((port) => startServer(port, args));
}

type TestNatsCluster = { servers: TestNats[]; urls: string; close(): Promise<void> };

/** Three servers, each reached by a route from the others, that keep streams together. */
export function startTestNatsCluster(): Promise<TestNatsCluster> {
  return startOnFreePort(startCluster);
}

async function startCluster(): Promise<TestNatsCluster> {
  const [ports, routePorts, monitorPorts] = await Promise.all([freePorts(3), freePorts(3), freePorts(3)]);
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  const starting = ports.map((port, index) => {
    const monitor = monitorPorts[index] ?? 0;
    const args = ["--name", `node-${index}`, "--cluster_name", "test", "--cluster", routes[index] ?? ""];
    // Healthy once the cluster has a leader and this server has caught up with it.
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
  const directory = await mkdtemp(join(tmpdir(), "nats-"));
  let server: TestProcess | null = null;

  const start = async (): Promise<void> => {
    const args = ["-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", directory, "--ports_file_dir", directory];
    // Debian installs it where only root's PATH looks.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    const started = startTestProcess("nats-server", [...args, ...extra], { env });
    server = started;
    // It writes the file when it listens. Another process at the port would answer too.
    const listens = (): boolean => existsSync(join(directory, `nats-server_${started.pid}.ports`));
    await started.until(async () => listens() && (await isHealthy()), { what: "nats-server is ready" });
  };
  const kill = async (): Promise<void> => {
    await server?.end();
    server = null;
  };
  const close = async (): Promise<void> => {
    await kill();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    directory,
    start,
    kill,
    pause: () => server?.signal("SIGSTOP"),
    resume: () => server?.signal("SIGCONT"),
    emptyDisk: () => rm(join(directory, "jetstream"), { recursive: true, force: true }),
    close,
  };
}

/** Ports that are different from each other. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
