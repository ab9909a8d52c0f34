import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { startOnFreePort, startTestProcess, type TestProcess } from "./test-process.ts";

/** A redis-server for one test, which may kill, empty and restart it. */
export type TestRedis = {
  readonly url: string;
  /** SIGKILL; data in memory is lost unless it was persistent. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty unless it was persistent. */
  start(): Promise<void>;
  /** Stops the process (SIGSTOP): it returns nothing until `resume`. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
};

/**
 * Starts a redis-server on a free port of 127.0.0.1. Not persistent: a restart is empty.
 * @param settings further arguments of redis-server, such as `--maxmemory 64mb`
 * @param nextPort where it is started; another port is requested while the last one is taken
 */
export function startTestRedis(settings: readonly string[] = [], nextPort?: () => Promise<number>): Promise<TestRedis> {
  return startOnFreePort((port) => startServer(port, settings), nextPort);
}

async function startServer(port: number, settings: readonly string[]): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), "redis-"));
  const url = `redis://127.0.0.1:${port}`;
  let server: TestProcess | null = null;

  const start = async (): Promise<void> => {
    const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no"];
    const started = startTestProcess("redis-server", [...args, ...settings]);
    server = started;
    await started.until(() => isServedBy(url, started.pid), { what: `redis-server answers at ${url}` });
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
    url,
    start,
    kill,
    pause: () => server?.signal("SIGSTOP"),
    resume: () => server?.signal("SIGCONT"),
    close,
  };
}

/** Does the Redis or Sentinel at a URL answer, and is it the process of this id? Another one may have taken the port first. */
export async function isServedBy(url: string, pid: number): Promise<boolean> {
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    enableReadyCheck: false,
    commandTimeout: 5_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.info("server")).split("\r\n").includes(`process_id:${pid}`);
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
