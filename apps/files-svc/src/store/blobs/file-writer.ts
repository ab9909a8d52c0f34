import { open } from "node:fs/promises";
import { freeChunk } from "@platform/service-kit/http/bulk-bytes";

const batchBytes = 1024 * 1024;
/** The kernel is told to write out this often, so that the last sync has little left to wait for. */
const syncEveryBytes = 64 * 1024 * 1024;

/** Writes a file in large steps. At most two batches are in memory: one being written, one being filled. */
export type FileWriter = {
  /** Takes a chunk over; null when more may be given at once. */
  write(chunk: Uint8Array): Promise<void> | null;
  /** Writes what is left and syncs; when it resolves the bytes are on disk. */
  finish(): Promise<void>;
  /** Closes without caring for what was not written. Never throws. */
  close(): Promise<void>;
};

/** Opens a new file for writing. Rejects when it exists. */
export async function createFileWriter(path: string): Promise<FileWriter> {
  const handle = await open(path, "wx");
  let batch: Uint8Array[] = [];
  let batched = 0;
  let unsynced = 0;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> = Promise.resolve();
  let failure: unknown;
  const note = (error: unknown): void => {
    failure ??= error;
  };

  const writeOut = async (chunks: Uint8Array[], bytes: number): Promise<void> => {
    let left = chunks;
    let written = (await handle.writev(left)).bytesWritten;
    while (written < bytes) {
      left = after(left, written);
      bytes -= written;
      written = (await handle.writev(left)).bytesWritten;
    }
    for (const chunk of chunks) freeChunk(chunk);
  };
  const flush = async (): Promise<void> => {
    await writing;
    if (failure !== undefined) throw failure;
    const [chunks, bytes] = [batch, batched];
    batch = [];
    batched = 0;
    if (bytes === 0) return;
    writing = writeOut(chunks, bytes).catch(note);
    unsynced += bytes;
    if (unsynced < syncEveryBytes) return;
    unsynced = 0;
    // Not awaited here: the disk works while the next bytes arrive. Syncs follow one another so that they cannot pile up.
    await syncing;
    syncing = handle.datasync().catch(note);
  };

  return {
    write: (chunk) => {
      batch.push(chunk);
      batched += chunk.byteLength;
      return batched >= batchBytes ? flush() : null;
    },
    finish: async () => {
      await flush();
      await Promise.all([writing, syncing]);
      if (failure !== undefined) throw failure;
      await handle.datasync();
      await handle.close();
    },
    close: async () => {
      await Promise.all([writing, syncing]);
      await handle.close().catch(() => {});
    },
  };
}

/** The chunks without their first `bytes` bytes. */
function after(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  const rest: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (skip >= chunk.byteLength) skip -= chunk.byteLength;
    else {
      rest.push(chunk.subarray(skip));
      skip = 0;
    }
  }
  return rest;
}
