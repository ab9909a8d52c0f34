import type { RedisConnection } from "@platform/quota/connect-redis";
import { Cluster } from "ioredis";

/** Memory of the fullest Redis node: the used bytes, and the limit (0 for none). */
export type RedisMemory = { readonly usedBytes: number; readonly maxBytes: number };

/** Redis is reported as degraded if at least this share of its memory is used. */
const fullShare = 0.9;

/** Fewer outcomes are kept for replays if at least this share of its memory is used. */
const shortShare = 0.75;

/**
 * The outcomes of requests without a credential are kept for a moment only if at least this share of its memory is used.
 * It is far below the other shares, so that an outsider cannot cause what happens above them.
 */
const halfShare = 0.5;

const everyMs = 1_000;

/** Reads the memory of Redis; for a Cluster, that of its fullest primary. */
export async function redisMemory(redis: RedisConnection): Promise<RedisMemory> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const memories = await Promise.all(nodes.map(async (node) => parseMemory(await node.info("memory"))));
  return memories.reduce((fullest, memory) => (shareOf(memory) > shareOf(fullest) ? memory : fullest), {
    usedBytes: 0,
    maxBytes: 0,
    ...memories[0],
  });
}

/**
 * Returns whether Redis is so full that it may soon reject commands, and with them every request that has a credential.
 */
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

/**
 * Reads Redis's memory once a second, for metrics and replay retention. The last value is used until the next reading.
 */
export function watchRedisMemory(redis: RedisConnection, note: (memory: RedisMemory) => void) {
  let last: RedisMemory = { usedBytes: 0, maxBytes: 0 };
  const look = (): void => {
    redisMemory(redis).then(
      (memory) => {
        last = memory;
        note(memory);
      },
      // Nothing is logged here, because connection errors are logged where the connection is created, and /health
      // reports them.
      () => {},
    );
  };
  const timer = setInterval(look, everyMs).unref();
  look();
  return {
    isShort: (): boolean => shareOf(last) >= shortShare,
    isHalfFull: (): boolean => shareOf(last) >= halfShare,
    stop: (): void => clearInterval(timer),
  };
}
