import { Redis } from "ioredis";
import { startOnFreePort, startTestProcess } from "./test-process.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/**
 * A redis-server for one test, which may kill, empty and restart it. A killed server loses its data unless it is persistent.
 */
export type TestRedis = TestServer & { readonly url: string };

/**
 * Starts a redis-server on a free port of 127.0.0.1. It is not persistent: a restarted one is empty.
 * @param settings further arguments of redis-server, such as `--maxmemory 64mb`
 * @param nextPort returns the port; it is called again while the last one is in use
 */
export function startTestRedis(settings: readonly string[] = [], nextPort?: () => Promise<number>): Promise<TestRedis> {
  return startOnFreePort((port) => startServer(port, settings), nextPort);
}

async function startServer(port: number, settings: readonly string[]): Promise<TestRedis> {
  const url = `redis://127.0.0.1:${port}`;
  const server = await startTestServer(
    "redis",
    (directory) => {
      const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--appendonly", "no"];
      return startTestProcess("redis-server", [...args, ...settings]);
    },
    (started) => started.until(() => isServedBy(url, started.pid), { what: `redis-server answers at ${url}` }),
  );
  return { ...server, url };
}

/**
 * Returns whether the Redis or Sentinel at a URL responds and is the process with this id. Another process may have
 * taken the port first.
 */
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
