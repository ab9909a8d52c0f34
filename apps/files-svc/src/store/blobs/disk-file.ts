import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type Block, isWholeBlock } from "../../bytes/aligned-blocks.ts";

/** The kernel is told to write out this often, so that the last sync has little left to wait for. */
const syncEveryBytes = 64 * 1024 * 1024;

/** A new file that is written from its beginning to its end. */
export type DiskFile = {
  /** Appends bytes, which must stay as they are until it resolves. The next need not wait for that. */
  append(bytes: Uint8Array): Promise<void>;
  /** Closes the file; when it resolves, all that was appended is on disk. */
  finish(): Promise<void>;
  /** Closes the file when nothing is under way any more, whatever became of it. Never throws. */
  close(): Promise<void>;
};

/**
 * Creates a file. Rejects when it exists.
 *
 * Whole blocks are written with O_DIRECT (open(2)): large files would only push out of the page cache what others read, and where idle
 * memory is handed back to a host, every new page of it costs a fault. What a file system does not take that way, goes through the cache.
 */
export async function createDiskFile(path: string): Promise<DiskFile> {
  const cached = await open(path, "wx");
  /** Undefined until the first whole block, small files need none; null where there is no such thing. */
  let direct: Promise<FileHandle | null> | undefined;
  let length = 0;
  let unsynced = 0;
  let syncing: Promise<void> | null = null;
  let syncFailure: unknown;

  const writeDirectly = async (block: Block, position: number): Promise<number> => {
    direct ??= openDirect(path);
    const handle = await direct;
    if (handle === null) return 0;
    try {
      return (await handle.write(block, 0, block.byteLength, position)).bytesWritten;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      direct = Promise.resolve(null);
      await handle.close();
      return 0;
    }
  };
  const syncNow = async (): Promise<void> => {
    try {
      await cached.datasync();
    } catch (error) {
      // The kernel tells of a lost write once: it must not be forgotten.
      syncFailure = error;
    }
    syncing = null;
  };
  const close = async (): Promise<void> => {
    const handle = await direct?.catch(() => null);
    await Promise.allSettled([cached.close(), handle?.close()]);
  };

  return {
    append: async (bytes) => {
      const position = length;
      length += bytes.byteLength;
      let written = isWholeBlock(bytes) ? await writeDirectly(bytes, position) : 0;
      while (written < bytes.byteLength) {
        const part = await cached.write(bytes, written, bytes.byteLength - written, position + written);
        written += part.bytesWritten;
      }
      unsynced += bytes.byteLength;
      if (unsynced < syncEveryBytes || syncing !== null) return;
      unsynced = 0;
      // Not awaited here: the disk works while the next bytes arrive.
      syncing = syncNow();
    },
    finish: async () => {
      await syncing;
      if (syncFailure !== undefined) throw syncFailure;
      await cached.datasync();
      await close();
    },
    close,
  };
}

/** Opens a file for writing past the page cache; null where that cannot be. */
async function openDirect(path: string): Promise<FileHandle | null> {
  // Not every system has the flag.
  if (constants.O_DIRECT === undefined) return null;
  return open(path, constants.O_WRONLY | constants.O_DIRECT).catch((error: unknown) => {
    if (isRefusal(error)) return null;
    throw error;
  });
}

/** Is this how a file system says that it takes no direct writes, or none aligned like these? */
function isRefusal(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EINVAL";
}
