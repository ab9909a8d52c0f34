import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { eventually } from "./eventually.ts";
import { startTestRedis, type TestRedis } from "./redis.ts";
import { startOnFreePort } from "./test-process.ts";

const run = promisify(execFile);

/** A Redis Cluster for one test: three primaries, each with a replica. */
export type TestRedisCluster = {
  /** URLs of all nodes, separated by commas. */
  readonly urls: string;
  /** Makes the replica of the primary that holds a key take over, as an operator would; resolves when it is the primary. */
  failOver(key: string): Promise<void>;
  close(): Promise<void>;
};

const primaries = 3;
const askMsMax = 10_000;
const joinMsMax = 120_000;

/** Starts six redis-servers and joins them. */
export async function startTestRedisCluster(): Promise<TestRedisCluster> {
  const nodes: TestRedis[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.close()));
  };
  try {
    const startNode = (bus: number): Promise<TestRedis> =>
      startTestRedis(["--cluster-enabled", "yes", "--cluster-port", `${bus}`, "--cluster-node-timeout", "2000"]);
    for (let index = 0; index < 2 * primaries; index += 1) nodes.push(await startOnFreePort(startNode));
    const addresses = nodes.map(({ url }) => url.slice("redis://".length));
    const cli = async (address: string, ...args: string[]): Promise<string> => {
      const [host = "", port = ""] = address.split(":");
      return (await run("redis-cli", ["-h", host, "-p", port, ...args], { timeout: askMsMax })).stdout;
    };
    const replicas = ["--cluster-replicas", "1", "--cluster-yes"];
    await run("redis-cli", ["--cluster", "create", ...addresses, ...replicas], { timeout: joinMsMax });
    const isJoined = async (address: string): Promise<boolean> =>
      (await cli(address, "cluster", "info")).includes("cluster_state:ok") &&
      (await cli(address, "cluster", "nodes")).split("slave ").length === primaries + 1;
    for (const address of addresses) await eventually(() => isJoined(address), { what: `${address} has joined` });
    return {
      urls: nodes.map(({ url }) => url).join(","),
      failOver: async (key) => {
        const slot = Number(await cli(addresses[0] ?? "", "cluster", "keyslot", key));
        const table = (await cli(addresses[0] ?? "", "cluster", "nodes"))
          .trim()
          .split("\n")
          .map((line) => line.split(" "));
        const primary = table.find(
          ([, , flags = "", , , , , , ...slots]) => flags.includes("master") && holds(slots, slot),
        );
        const replica = table.find(([, , flags = "", of]) => flags.includes("slave") && of === primary?.[0]);
        const address = replica?.[1]?.split("@")[0];
        if (address === undefined) throw new Error(`no replica holds the slot of ${key}`);
        await cli(address, "cluster", "failover");
        await eventually(async () => (await cli(address, "role")).startsWith("master"), {
          what: `${address} takes over`,
        });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function holds(ranges: readonly string[], slot: number): boolean {
  return ranges.some((range) => {
    const [from, to = from] = range.split("-").map(Number);
    return from !== undefined && to !== undefined && from <= slot && slot <= to;
  });
}
