import { open } from "node:fs/promises";

/** Number of bytes after which data is written to disk, so that the last sync takes little time. */
const syncEveryBytes = 64 * 1024 * 1024;

/** A new file that is written from beginning to end. */
export type DiskFile = {
  /**
   * Appends bytes, which must not change until the promise resolves. The next append does not have to wait for that.
   */
  append(bytes: Uint8Array): Promise<void>;
  /** Closes the file. Once it has resolved, everything that was appended is on disk. */
  finish(): Promise<void>;
  /** Closes the file once no write is in progress any more, even after a failure. It never throws. */
  close(): Promise<void>;
};

/** Creates a file. Rejects if it exists already. */
export async function createDiskFile(path: string): Promise<DiskFile> {
  const file = await open(path, "wx");
  let length = 0;
  let unsynced = 0;
  let syncing: Promise<void> | null = null;
  let syncFailure: unknown;

  const syncNow = async (): Promise<void> => {
    try {
      await file.datasync();
    } catch (error) {
      // The kernel reports a lost write only once, so the error is kept for the final sync.
      syncFailure = error;
    }
    syncing = null;
  };

  return {
    append: async (bytes) => {
      const position = length;
      length += bytes.byteLength;
      for (let written = 0; written < bytes.byteLength; ) {
        const part = await file.write(bytes, written, bytes.byteLength - written, position + written);
        written += part.bytesWritten;
      }
      unsynced += bytes.byteLength;
      if (unsynced < syncEveryBytes || syncing !== null) return;
      unsynced = 0;
      // The sync is not awaited, so that the disk works while the next bytes arrive.
      syncing = syncNow();
    },
    finish: async () => {
      await syncing;
      if (syncFailure !== undefined) throw syncFailure;
      await file.datasync();
      await file.close();
    },
    close: async () => void (await Promise.allSettled([file.close()])),
  };
}
