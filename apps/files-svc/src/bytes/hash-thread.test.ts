import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createBlockFiller } from "./block-filler.ts";
import { type Block, blockBytes } from "./block-pool.ts";
import { createHashThread } from "./hash-thread.ts";

describe("the thread that hashes", () => {
  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

  test("hashes several bodies concurrently without mixing them, including an empty one", async () => {
    const thread = createHashThread();
    const bodies = [0, 10, blockBytes, 3 * blockBytes + 5, 5 * blockBytes].map((length) => randomBytes(length));
    const found = await Promise.all(
      bodies.map(async (bytes) => {
        const hash = thread.begin();
        const filler = createBlockFiller([hash.update]);
        await filler.take(Buffer.from(bytes));
        await filler.finish();
        return hash.digest();
      }),
    );
    expect(found).toEqual(bodies.map(sha256));
    await thread.close();
  });

  test("fails the hash in progress when its thread dies, and starts a new thread for the next", async () => {
    const thread = createHashThread();
    const [broken, other] = [thread.begin(), thread.begin()];
    const deaths = [broken.update(5 as unknown as Block), other.digest()].map((asked) =>
      expect(asked).rejects.toThrow(),
    );
    await Promise.all(deaths);
    await expect(other.digest()).rejects.toThrow("ended");
    other.forget();
    const next = thread.begin();
    expect(await next.digest()).toBe(sha256(Buffer.alloc(0)));
    await thread.close();
  });
});
