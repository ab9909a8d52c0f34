import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createBlockFiller } from "./block-filler.ts";
import { type Block, blockBytes } from "./block-pool.ts";

/** Passes `bytes` on in chunks of the size that sockets deliver, and waits whenever the filler requires it. */
async function giveAll(bytes: Uint8Array, take: (chunk: Uint8Array) => Promise<void> | null): Promise<void> {
  for (let at = 0; at < bytes.byteLength; at += 65_536) await take(Buffer.from(bytes.subarray(at, at + 65_536)));
}

describe("the block filler", () => {
  test.each([0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 7 * blockBytes + 17])(
    "delivers %i bytes complete and in order, in whole blocks and a remainder",
    async (length) => {
      const bytes = randomBytes(length);
      const seen: Buffer[] = [];
      const filler = createBlockFiller([async (block) => void seen.push(Buffer.from(block))]);
      await giveAll(bytes, filler.take);
      await filler.finish();
      expect(Buffer.concat(seen).equals(bytes)).toBe(true);
      expect(seen.slice(0, -1).every(({ byteLength }) => byteLength === blockBytes)).toBe(true);
    },
  );

  test("does not reuse a block of a failed consumer before the other consumer has finished", async () => {
    const first = Promise.withResolvers<void>();
    const given: Block[] = [];
    const filler = createBlockFiller([
      async () => Promise.reject(new Error("the disk is full")),
      (block) => {
        given.push(block);
        return given.length === 1 ? first.promise : Promise.resolve();
      },
    ]);
    const bytes = randomBytes(3 * blockBytes);
    void filler.take(Buffer.from(bytes.subarray(0, blockBytes)));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(filler.take(Buffer.from(bytes.subarray(blockBytes)))).rejects.toThrow("the disk is full");
    expect(given[0]?.subarray().every((byte, at) => byte === bytes[at])).toBe(true);
    first.resolve();
    await expect(filler.finish()).rejects.toThrow("the disk is full");
  });

  test("applies back-pressure to a fast producer until blocks are free again", async () => {
    const taken: (() => void)[] = [];
    const filler = createBlockFiller([() => new Promise<void>((resolve) => taken.push(resolve))]);
    const block = randomBytes(blockBytes);
    expect(filler.take(Buffer.from(block))).toBeNull();
    expect(filler.take(Buffer.from(block))).toBeNull();
    const heldBack = filler.take(Buffer.from(block));
    expect(heldBack).not.toBeNull();
    taken.shift()?.();
    await heldBack;
    for (const done of taken) done();
    await filler.finish();
  });
});
