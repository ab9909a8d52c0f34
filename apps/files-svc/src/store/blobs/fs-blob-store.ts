import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { BlobKey } from "../../domain/blob-key.ts";
import { type BlobStore, markerKey } from "./blob-store.ts";
import { createDiskFile } from "./disk-file.ts";

const readChunkBytes = 512 * 1024;
const incoming = "incoming";

/**
 * Stores blobs as files below `root`. A blob is written to `incoming/`, synced and renamed, so that there is either a
 * whole blob under its final name or nothing. The folders are synced as well, because a rename that is not on disk
 * does not survive a power failure.
 */
export function createFsBlobStore(root: string): BlobStore {
  const pathOf = (key: BlobKey): string => join(root, ...key.split("/"));
  const incomingPath = (key: BlobKey, writeId: string): string => join(root, incoming, `${basename(key)}.${writeId}`);

  return {
    kind: "fs",
    writerBytes: 0,
    createWriter: async (key, writeId) => {
      const temporary = incomingPath(key, writeId);
      await makeDurableFolder(root, dirname(temporary));
      const file = await createDiskFile(temporary);
      return {
        write: file.append,
        commit: async () => {
          const target = pathOf(key);
          // Both steps wait for the disk, so they run concurrently.
          await Promise.all([file.finish(), makeDurableFolder(root, dirname(target))]);
          await rename(temporary, target);
          await syncFolder(dirname(target));
        },
        abort: async () => {
          await file.close();
          await rm(temporary, { force: true }).catch(() => {});
        },
      };
    },
    size: async (key) => {
      const found = await stat(pathOf(key)).catch(absentAsNull);
      return found === null ? null : found.size;
    },
    read: async (key, range) => {
      const handle = await open(pathOf(key));
      const part = range === null ? {} : { start: range.start, end: range.end };
      return createReadStream("", { fd: handle, highWaterMark: readChunkBytes, ...part });
    },
    localCopy: async (key) => {
      const path = pathOf(key);
      await access(path, constants.R_OK);
      return { path, release: async () => {} };
    },
    delete: async (key, writeId) => {
      await rm(pathOf(key), { force: true });
      if (writeId !== null) await rm(incomingPath(key, writeId), { force: true });
    },
    removeAttempt: async (key, writeId) => {
      await rm(incomingPath(key, writeId), { force: true });
    },
    list: async function* () {
      for await (const path of filesBelow(root)) {
        const key = relative(root, path).split(sep).join("/");
        if (key.startsWith(`${incoming}/`)) continue;
        const found = await stat(path).catch(absentAsNull);
        if (found !== null) yield { key, storedAt: found.mtime };
      }
    },
    removeUnfinished: async (before, onFailure) => {
      let removed = 0;
      for await (const path of filesBelow(join(root, incoming))) {
        const found = await stat(path).catch(absentAsNull);
        if (found === null || found.mtime >= before) continue;
        try {
          await rm(path, { force: true });
          removed += 1;
        } catch (error) {
          onFailure(error);
        }
      }
      return removed;
    },
    readMarker: () => readFile(join(root, markerKey), "utf8").catch(absentAsNull),
    writeMarker: async (text) => {
      const temporary = join(root, incoming, `${markerKey}.${randomUUID()}`);
      await makeDurableFolder(root, dirname(temporary));
      await writeFile(temporary, text, { flush: true });
      await rename(temporary, join(root, markerKey));
      await syncFolder(root);
    },
    check: async () => {
      await mkdir(root, { recursive: true });
      await access(root, constants.R_OK | constants.W_OK);
      return true;
    },
  };
}

function absentAsNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

/** Creates a folder if it does not exist, and syncs the folders above it up to `root`. */
async function makeDurableFolder(root: string, folder: string): Promise<void> {
  const created = await mkdir(folder, { recursive: true });
  if (created === undefined) return;
  for (let above = dirname(folder); ; above = dirname(above)) {
    await syncFolder(above);
    if (above === root || above === dirname(created) || above === dirname(above)) return;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Lists the files below a folder. It keeps the names of only one folder at a time in memory. */
async function* filesBelow(folder: string): AsyncIterable<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(absentAsNull);
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}
