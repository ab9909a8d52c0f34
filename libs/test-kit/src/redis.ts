import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

/** A redis-server for one test, which may kill, empty and restart it. */
export type TestRedis = {
  readonly url: string;
  /** SIGKILL; data in memory is lost unless it was persistent. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty unless it was persistent. */
  start(): Promise<void>;
  /** Stops the process (SIGSTOP): it answers nothing until `resume`. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
};

/**
 * Starts a redis-server on a free port of 127.0.0.1. Not persistent: a restart is empty.
 * @param settings further arguments of redis-server, such as `--maxmemory 64mb`
 */
export async function startTestRedis(settings: readonly string[] = []): Promise<TestRedis> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), "redis-"));
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;

  const start = async (): Promise<void> => {
    const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no"];
    child = spawn("redis-server", [...args, ...settings], { stdio: "ignore" });
    const failed = once(child, "error").then(([error]) => Promise.reject(error));
    await Promise.race([failed, eventually(() => answersPing(url))]);
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
    url,
    start,
    kill,
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    close: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function answersPing(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.ping()) === "PONG";
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
