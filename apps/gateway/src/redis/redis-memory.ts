import type { RedisConnection } from "@platform/quota/connect-redis";
import { Cluster } from "ioredis";

/** Memory of the fullest Redis: what is used, and what it may use at most (0 for no limit of its own). */
export type RedisMemory = { readonly usedBytes: number; readonly maxBytes: number };

/** From here on Redis is called degraded. */
const fullShare = 0.9;

/** From here on little is kept for replays. */
const shortShare = 0.75;

const everyMs = 1_000;

/** Asks Redis how full it is; of a Cluster, its fullest primary. */
export async function redisMemory(redis: RedisConnection): Promise<RedisMemory> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const memories = await Promise.all(nodes.map(async (node) => parseMemory(await node.info("memory"))));
  return memories.reduce((fullest, memory) => (shareOf(memory) > shareOf(fullest) ? memory : fullest), {
    usedBytes: 0,
    maxBytes: 0,
    ...memories[0],
  });
}

/** Is Redis so full that it may soon refuse to count, and with it every credentialed request? */
export function isNearlyFull(memory: RedisMemory): boolean {
  return shareOf(memory) >= fullShare;
}

function shareOf({ usedBytes, maxBytes }: RedisMemory): number {
  return maxBytes === 0 ? 0 : usedBytes / maxBytes;
}

function parseMemory(info: string): RedisMemory {
  const figure = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? 0);
  return { usedBytes: figure("used_memory"), maxBytes: figure("maxmemory") };
}

/** Watches Redis's memory once a second, for the metrics and for what is kept. What it last heard holds until it hears again. */
export function watchRedisMemory(redis: RedisConnection, note: (memory: RedisMemory) => void) {
  let last: RedisMemory = { usedBytes: 0, maxBytes: 0 };
  const look = (): void => {
    redisMemory(redis).then(
      (memory) => {
        last = memory;
        note(memory);
      },
      // The connection's own errors are logged where it was made; /health tells that it is away.
      () => {},
    );
  };
  const timer = setInterval(look, everyMs).unref();
  look();
  return {
    isShort: (): boolean => shareOf(last) >= shortShare,
    stop: (): void => clearInterval(timer),
  };
}
