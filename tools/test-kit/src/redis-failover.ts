import { Redis } from "ioredis";
import { eventually } from "./eventually.ts";
import { startTestRedis, type TestRedis } from "./redis.ts";
import { type SwitchedAddress, startSwitchedAddress } from "./switched-address.ts";

/** A primary and its replica behind one address, as with a managed Redis. */
export type TestRedisPair = {
  /** URL of the one address. */
  readonly url: string;
  /** The server that is the primary at the start. */
  readonly first: TestRedis;
  readonly second: TestRedis;
  /**
   * Swaps the roles and points the address to the new primary. Open connections stay at a server that now rejects
   * writes.
   */
  demote(): Promise<void>;
  /** Promotes the replica to primary and points the address to it. Open connections get no more responses. */
  loseMachine(): Promise<void>;
  close(): Promise<void>;
};

/** Without this setting, a primary waits five seconds for further replicas before it sends data to the first one. */
const immediateReplication = ["--repl-diskless-sync-delay", "0"];

/** Starts two redis-servers and one address on free ports of 127.0.0.1. */
export async function startTestRedisPair(): Promise<TestRedisPair> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closing.reverse()) await one();
  };
  const start = async (): Promise<{ server: TestRedis; port: number; admin: Redis }> => {
    const server = await startTestRedis(immediateReplication);
    closing.push(() => server.close());
    const admin = new Redis(server.url);
    admin.on("error", () => {});
    closing.push(async () => admin.disconnect());
    return { server, port: Number(new URL(server.url).port), admin };
  };
  try {
    let primary = await start();
    let replica = await start();
    const [first, second] = [primary.server, replica.server];
    await follow(replica.admin, primary.port);
    const address: SwitchedAddress = await startSwitchedAddress(primary.port);
    closing.push(() => address.close());
    return {
      url: `redis://127.0.0.1:${address.port}`,
      first,
      second,
      demote: async () => {
        // This is an orderly failover, which loses nothing that the former primary acknowledged.
        await primary.admin.client("PAUSE", 10_000, "WRITE");
        await eventually(async () => isFed(await primary.admin.info("replication")), {
          what: "the replica has it all",
        });
        await replica.admin.replicaof("NO", "ONE");
        await follow(primary.admin, replica.port);
        await primary.admin.client("UNPAUSE");
        address.pointTo(replica.port);
        [primary, replica] = [replica, primary];
      },
      loseMachine: async () => {
        await replica.admin.replicaof("NO", "ONE");
        address.silence();
        address.pointTo(replica.port);
        [primary, replica] = [replica, primary];
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns whether the replica of a primary has all its data, according to the primary's `INFO replication`. */
function isFed(info: string): boolean {
  const offset = /^master_repl_offset:(\d+)/m.exec(info)?.[1];
  return offset !== undefined && info.includes(`,offset=${offset},`);
}

/** Turns a server into a replica of another one. Resolves when it has the other's data. */
async function follow(server: Redis, port: number): Promise<void> {
  await server.replicaof("127.0.0.1", port);
  await eventually(async () => (await server.info("replication")).includes("master_link_status:up"), {
    what: "the replica has the primary's data",
  });
}
