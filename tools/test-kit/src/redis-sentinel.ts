import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "./eventually.ts";
import { isServedBy, startTestRedis, type TestRedis } from "./redis.ts";
import { startOnFreePort, startTestProcess } from "./test-process.ts";

const run = promisify(execFile);
const askMsMax = 10_000;
/** Returns a server's response to redis-cli; rejects if it does not respond in time. */
const cli = async (port: number | string, ...args: string[]): Promise<string> =>
  (await run("redis-cli", ["-p", `${port}`, ...args], { timeout: askMsMax })).stdout;

/** A primary, its replica, and three Sentinels that watch them. */
export type TestRedisSentinel = {
  /** host:port of each Sentinel, separated by commas. */
  readonly sentinels: string;
  /** The name under which the Sentinels know the primary. */
  readonly master: string;
  /** Kills the primary. Resolves when the Sentinels report the replica as the primary. */
  killPrimary(): Promise<void>;
  /** Stops the primary (SIGSTOP), which then does not respond but keeps its connections. Resolves when the Sentinels report the replica as the primary. */
  freezePrimary(): Promise<void>;
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
    const replication = (): Promise<string> => cli(new URL(replica.url).port, "info", "replication");
    await eventually(async () => (await replication()).includes("master_link_status:up"), {
      what: "the replica is fed",
    });
    const ports: number[] = [];
    const startSentinel = async (port: number): Promise<number> => {
      const directory = await mkdtemp(join(tmpdir(), "sentinel-"));
      const file = join(directory, "sentinel.conf");
      const watch = [
        `monitor ${master} 127.0.0.1 ${primaryPort} 2`,
        `down-after-milliseconds ${master} 1000`,
        `failover-timeout ${master} 5000`,
      ];
      const settings = [`port ${port}`, "bind 127.0.0.1", `dir ${directory}`];
      await writeFile(file, [...settings, ...watch.map((line) => `sentinel ${line}`), ""].join("\n"));
      const server = startTestProcess("redis-server", [file, "--sentinel"]);
      closing.push(async () => {
        await server.end();
        await rm(directory, { recursive: true, force: true });
      });
      await server.until(() => isServedBy(`redis://127.0.0.1:${port}`, server.pid), { what: "the Sentinel answers" });
      return port;
    };
    for (let index = 0; index < 3; index += 1) ports.push(await startOnFreePort(startSentinel));
    const ask = (port: number, ...args: string[]): Promise<string> => cli(port, "sentinel", ...args, master);
    const knowsAll = async (port: number): Promise<boolean> => {
      const text = await ask(port, "master");
      return /num-slaves\n1\n/.test(text) && /num-other-sentinels\n2\n/.test(text);
    };
    for (const port of ports) await eventually(() => knowsAll(port), { what: "Sentinels know each other" });
    const replicaIsNamed = async (): Promise<void> => {
      const { port } = new URL(replica.url);
      const isNamed = async (asked: number) => (await ask(asked, "get-master-addr-by-name")).includes(port);
      for (const asked of ports) await eventually(() => isNamed(asked), { what: "the replica takes over" });
    };
    return {
      sentinels: ports.map((port) => `127.0.0.1:${port}`).join(","),
      master,
      killPrimary: async () => {
        await primary.kill();
        await replicaIsNamed();
      },
      freezePrimary: async () => {
        primary.pause();
        await replicaIsNamed();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
