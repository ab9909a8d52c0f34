import { createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import type { BackupStore } from "./backup-store.ts";

const unfinished = ".part";
const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Stores backups in a folder that only its owner may read. */
export function openFolder(root: string): BackupStore {
  return {
    write: async (path, content) => {
      const target = join(root, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(`${target}${unfinished}`, { mode: 0o600, flush: true }));
      await rename(`${target}${unfinished}`, target);
    },
    read: async (path) => (await open(join(root, path))).createReadStream(),
    list: async (folder) => {
      const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch((error) => {
        if (isAbsent(error)) return [];
        throw error;
      });
      return entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
    },
    remove: async (path) => {
      const target = join(root, path);
      await rm(target, { force: true });
      // When its last file has been deleted, the folder is deleted as well.
      await rmdir(dirname(target)).catch(() => {});
    },
    close: () => {},
  };
}
