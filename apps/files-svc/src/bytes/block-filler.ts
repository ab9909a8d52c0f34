import { freeChunk } from "@platform/kit/web/http";
import { type Block, blockBytes, giveBlock, takeBlock } from "./block-pool.ts";

/**
 * Number of full blocks that may be in progress before back-pressure is applied. One more is filled in the meantime.
 */
const underWayMax = 3;

/** Maximum number of blocks of one upload. */
export const uploadBlocksMax = underWayMax + 1;

/** Processes a block, for example by hashing or writing it. */
export type BlockConsumer = (bytes: Block) => Promise<unknown>;

/** Gathers chunks into blocks and passes them to consumers. */
export type BlockFiller = {
  /**
   * Takes ownership of a chunk, whose memory may be freed. Returns null if the next chunk may follow immediately,
   * otherwise a promise that the caller has to await.
   */
  take(chunk: Uint8Array): Promise<void> | null;
  /** Passes on the last block. Resolves when every consumer has finished, and rejects if one of them failed. */
  finish(): Promise<void>;
  /** Discards the bytes that were not passed on. Has no effect after `finish`. */
  drop(): void;
};

/**
 * Creates the filler.
 * @param consumers receive the blocks in order, without waiting for each other; the last block may be shorter. A
 * block is reused once all of them have finished with it
 */
export function createBlockFiller(consumers: readonly BlockConsumer[]): BlockFiller {
  let filling: Block | null = null;
  let filled = 0;
  const underWay = new Set<Promise<void>>();
  let failure: unknown;

  const consume = async (block: Block, bytes: Block): Promise<void> => {
    // All consumers are awaited, even if one of them has failed, because the others may still read the block.
    for (const outcome of await Promise.allSettled(consumers.map((consumer) => consumer(bytes)))) {
      if (outcome.status === "rejected") failure ??= outcome.reason;
    }
    giveBlock(block);
  };
  const giveAway = (): void => {
    if (filling === null) return;
    const bytes = filled === blockBytes ? filling : filling.subarray(0, filled);
    const done = consume(filling, bytes).then(() => void underWay.delete(done));
    underWay.add(done);
    filling = null;
    filled = 0;
  };
  const space = async (): Promise<void> => {
    while (underWay.size >= underWayMax) await Promise.race(underWay);
    if (failure !== undefined) throw failure;
  };

  return {
    take: (chunk) => {
      for (let at = 0; at < chunk.byteLength; ) {
        filling ??= takeBlock();
        const part = chunk.subarray(at, at + blockBytes - filled);
        filling.set(part, filled);
        filled += part.byteLength;
        at += part.byteLength;
        if (filled === blockBytes) giveAway();
      }
      freeChunk(chunk);
      return underWay.size >= underWayMax || failure !== undefined ? space() : null;
    },
    finish: async () => {
      giveAway();
      await Promise.all(underWay);
      if (failure !== undefined) throw failure;
    },
    drop: () => {
      if (filling !== null) giveBlock(filling);
      filling = null;
      filled = 0;
    },
  };
}
