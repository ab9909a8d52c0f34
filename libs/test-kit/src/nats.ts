import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

/** A nats-server with JetStream for one test, on disk, so that it may be killed and restarted. */
type TestNats = {
  readonly url: string;
  /** Where JetStream keeps its streams. */
  readonly directory: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  close(): Promise<void>;
};

/** @param args further arguments of nats-server, such as a user and its password */
export async function startTestNats(args: readonly string[] = []): Promise<TestNats> {
  const port = await freePort();
  return startServer(port, args, () => accepts(port));
}

/** Three servers, each reached by a route from the others, that keep streams together. */
export async function startTestNatsCluster(): Promise<{ servers: TestNats[]; urls: string; close(): Promise<void> }> {
  const [ports, routePorts, monitorPorts] = await Promise.all([freePorts(3), freePorts(3), freePorts(3)]);
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  const servers = await Promise.all(
    ports.map((port, index) => {
      const monitor = monitorPorts[index] ?? 0;
      const args = ["--name", `node-${index}`, "--cluster_name", "test", "--cluster", routes[index] ?? ""];
      // Healthy once the cluster has a leader and this server has caught up with it.
      const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${monitor}/healthz`)).ok;
      return startServer(port, [...args, "--routes", routes.join(","), "-m", `${monitor}`], isReady);
    }),
  );
  return {
    servers,
    urls: servers.map(({ url }) => url).join(","),
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

async function startServer(port: number, extra: readonly string[], isReady: () => Promise<boolean>): Promise<TestNats> {
  const directory = await mkdtemp(join(tmpdir(), "nats-"));
  let child: ChildProcess | null = null;

  const start = async (): Promise<void> => {
    const args = ["-a", "127.0.0.1", "-p", `${port}`, "-js", "-sd", directory, ...extra];
    // Debian installs it where only root's PATH looks.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    child = spawn("nats-server", args, { stdio: "ignore", env });
    const failed = once(child, "error").then(([error]) => Promise.reject(error));
    await Promise.race([failed, eventually(isReady, { timeoutMs: 60_000, what: "nats-server is ready" })]);
  };
  const kill = async (): Promise<void> => {
    if (child === null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    child = null;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    directory,
    start,
    kill,
    close: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Ports that are different from each other. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
