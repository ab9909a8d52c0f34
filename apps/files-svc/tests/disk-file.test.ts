import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BlockConsumer, createBlockFiller } from "../src/bytes/block-filler.ts";
import { blockBytes } from "../src/bytes/block-pool.ts";
import { createDiskFile } from "../src/store/blobs/disk-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "disk-file-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
const newPath = (): string => {
  files += 1;
  return join(folder, `${files}`);
};

async function writeInBlocks(bytes: Uint8Array, consumer: BlockConsumer): Promise<void> {
  const filler = createBlockFiller([consumer]);
  for (let at = 0; at < bytes.byteLength; at += 65_536) {
    await filler.take(Buffer.from(bytes.subarray(at, at + 65_536)));
  }
  await filler.finish();
}

describe("a file that is written to disk", () => {
  test.each([0, 1, 4_096, blockBytes - 1, blockBytes, blockBytes + 1, 70 * blockBytes + 513])(
    "writes a file of %i bytes with exactly these bytes",
    async (length) => {
      const path = newPath();
      const bytes = randomBytes(length);
      const file = await createDiskFile(path);
      await writeInBlocks(bytes, file.append);
      await file.finish();
      expect((await readFile(path)).equals(bytes)).toBe(true);
    },
  );

  test("does not overwrite an existing file", async () => {
    const path = newPath();
    await (await createDiskFile(path)).close();
    await expect(createDiskFile(path)).rejects.toThrow("EEXIST");
  });

  test("closes a file while a write is in progress, and allows it to be closed twice", async () => {
    const file = await createDiskFile(newPath());
    const writing = writeInBlocks(randomBytes(8 * blockBytes), file.append).catch(() => {});
    await Promise.all([file.close(), file.close()]);
    await writing;
    await expect(file.append(randomBytes(10))).rejects.toThrow();
  });
});
