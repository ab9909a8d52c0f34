import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { eventually } from "./eventually.ts";
import { startTestRedis, type TestRedis } from "./redis.ts";
import { startOnFreePort } from "./test-process.ts";

const run = promisify(execFile);

/** A Redis Cluster for one test: three primaries, each with the given number of replicas. */
export type TestRedisCluster = {
  /** URLs of all nodes, separated by commas. */
  readonly urls: string;
  /**
   * Promotes the replica of the primary that has a key, as an operator would. Resolves when the replica is the primary.
   */
  failOver(key: string): Promise<void>;
  /**
   * Starts to move the slot of a key to the next primary: until `end`, the slot's primary redirects requests for keys
   * that it does not have.
   */
  beginMove(key: string): Promise<{ end(): Promise<void> }>;
  close(): Promise<void>;
};

const primaries = 3;
const askMsMax = 10_000;
const joinMsMax = 120_000;

/**
 * Starts redis-servers on free ports and joins them.
 * @param options `replicas` of each primary; one by default
 */
export async function startTestRedisCluster({ replicas = 1 } = {}): Promise<TestRedisCluster> {
  const nodes: TestRedis[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.close()));
  };
  try {
    const startNode = (bus: number): Promise<TestRedis> =>
      startTestRedis(["--cluster-enabled", "yes", "--cluster-port", `${bus}`, "--cluster-node-timeout", "2000"]);
    for (let index = 0; index < (1 + replicas) * primaries; index += 1) nodes.push(await startOnFreePort(startNode));
    const addresses = nodes.map(({ url }) => url.slice("redis://".length));
    const cli = async (address: string, ...args: string[]): Promise<string> => {
      const [host = "", port = ""] = address.split(":");
      return (await run("redis-cli", ["-h", host, "-p", port, ...args], { timeout: askMsMax })).stdout;
    };
    const form = ["--cluster-replicas", `${replicas}`, "--cluster-yes"];
    await run("redis-cli", ["--cluster", "create", ...addresses, ...form], { timeout: joinMsMax });
    const isJoined = async (address: string): Promise<boolean> =>
      (await cli(address, "cluster", "info")).includes("cluster_state:ok") &&
      (await cli(address, "cluster", "nodes")).split("slave ").length === replicas * primaries + 1;
    for (const address of addresses) await eventually(() => isJoined(address), { what: `${address} has joined` });
    const nodeTable = async (): Promise<ClusterNode[]> =>
      (await cli(addresses[0] ?? "", "cluster", "nodes")).trim().split("\n").map(readNode);
    const slotOf = async (key: string): Promise<number> =>
      Number(await cli(addresses[0] ?? "", "cluster", "keyslot", key));
    const primaryOf = (table: readonly ClusterNode[], slot: number): ClusterNode => {
      const primary = table.find(({ isPrimary, ranges }) => isPrimary && holds(ranges, slot));
      if (primary === undefined) throw new Error(`no primary holds slot ${slot}`);
      return primary;
    };
    return {
      urls: nodes.map(({ url }) => url).join(","),
      failOver: async (key) => {
        const table = await nodeTable();
        const primary = primaryOf(table, await slotOf(key));
        const replica = table.find((node) => node.primaryId === primary.id);
        if (replica === undefined) throw new Error(`no replica holds the slot of ${key}`);
        await cli(replica.address, "cluster", "failover");
        await eventually(async () => (await cli(replica.address, "role")).startsWith("master"), {
          what: `${replica.address} takes over`,
        });
      },
      beginMove: async (key) => {
        const [table, slot] = [await nodeTable(), await slotOf(key)];
        const source = primaryOf(table, slot);
        const target = table.find(({ id, isPrimary }) => isPrimary && id !== source.id);
        if (target === undefined) throw new Error("there is only one primary");
        const setSlot = (address: string, ...args: string[]) => cli(address, "cluster", "setslot", `${slot}`, ...args);
        await setSlot(target.address, "importing", source.id);
        await setSlot(source.address, "migrating", target.id);
        const end = async (): Promise<void> => {
          const keys = (await cli(source.address, "cluster", "getkeysinslot", `${slot}`, "1000")).trim();
          const [host = "", port = ""] = target.address.split(":");
          if (keys !== "")
            await cli(source.address, "migrate", host, port, "", "0", "5000", "keys", ...keys.split("\n"));
          for (const { address } of [target, source]) await setSlot(address, "node", target.id);
        };
        return { end };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type ClusterNode = {
  readonly id: string;
  readonly address: string;
  readonly isPrimary: boolean;
  readonly primaryId: string;
  readonly ranges: readonly string[];
};

/** Parses a line of CLUSTER NODES. */
function readNode(line: string): ClusterNode {
  const [id = "", place = "", flags = "", primaryId = "", , , , , ...ranges] = line.split(" ");
  return { id, address: place.split("@")[0] ?? "", isPrimary: flags.includes("master"), primaryId, ranges };
}

function holds(ranges: readonly string[], slot: number): boolean {
  return ranges.some((range) => {
    const [from, to = from] = range.split("-").map(Number);
    return from !== undefined && to !== undefined && from <= slot && slot <= to;
  });
}
