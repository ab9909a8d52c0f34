import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { startTestRedis, type TestRedis } from "./redis.ts";

const run = promisify(execFile);

/** A primary, its replica, and three Sentinels that watch them. */
export type TestRedisSentinel = {
  /** host:port of each Sentinel, separated by commas. */
  readonly sentinels: string;
  /** The name the Sentinels know the primary by. */
  readonly master: string;
  /** Kills the primary; resolves when the Sentinels name the replica. */
  killPrimary(): Promise<void>;
  close(): Promise<void>;
};

const master = "platform";

/** Starts two redis-servers and three Sentinels on free ports of 127.0.0.1. */
export async function startTestRedisSentinel(): Promise<TestRedisSentinel> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(closing.map((one) => one()));
  };
  const startServer = async (settings: readonly string[] = []): Promise<TestRedis> => {
    const server = await startTestRedis(settings);
    closing.push(() => server.close());
    return server;
  };
  try {
    const primary = await startServer();
    const primaryPort = new URL(primary.url).port;
    const replica = await startServer(["--replicaof", `127.0.0.1 ${primaryPort}`]);
    const replication = async (): Promise<string> =>
      (await run("redis-cli", ["-p", new URL(replica.url).port, "info", "replication"])).stdout;
    await eventually(async () => (await replication()).includes("master_link_status:up"), {
      what: "the replica is fed",
    });
    const ports: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const port = await freePort();
      const directory = await mkdtemp(join(tmpdir(), "sentinel-"));
      const file = join(directory, "sentinel.conf");
      const watch = [
        `monitor ${master} 127.0.0.1 ${primaryPort} 2`,
        `down-after-milliseconds ${master} 1000`,
        `failover-timeout ${master} 5000`,
      ];
      const settings = [`port ${port}`, "bind 127.0.0.1", `dir ${directory}`];
      await writeFile(file, [...settings, ...watch.map((line) => `sentinel ${line}`), ""].join("\n"));
      const child = spawn("redis-server", [file, "--sentinel"], { stdio: "ignore" });
      closing.push(async () => {
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
        await rm(directory, { recursive: true, force: true });
      });
      ports.push(port);
    }
    const ask = async (port: number, ...args: string[]): Promise<string> =>
      (await run("redis-cli", ["-p", `${port}`, "sentinel", ...args, master])).stdout;
    const knowsAll = async (port: number): Promise<boolean> => {
      const text = await ask(port, "master");
      return /num-slaves\n1\n/.test(text) && /num-other-sentinels\n2\n/.test(text);
    };
    for (const port of ports)
      await eventually(() => knowsAll(port), { timeoutMs: 30_000, what: "Sentinels know each other" });
    return {
      sentinels: ports.map((port) => `127.0.0.1:${port}`).join(","),
      master,
      killPrimary: async () => {
        await primary.kill();
        const { port } = new URL(replica.url);
        const isNamed = async (asked: number) => (await ask(asked, "get-master-addr-by-name")).includes(port);
        for (const asked of ports)
          await eventually(() => isNamed(asked), { timeoutMs: 30_000, what: "the replica takes over" });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
