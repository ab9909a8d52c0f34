import type { Readable } from "node:stream";

/** Name of the file that marks a folder as a finished backup. */
export const manifestName = "manifest.json";

/**
 * Stores the files of backups in a folder or bucket. Paths are relative to it, and their parts are separated by
 * slashes.
 */
export type BackupStore = {
  /** Writes a file atomically: either all of it becomes visible, or nothing. */
  write(path: string, content: Readable): Promise<void>;
  /** @throws if there is no such file */
  read(path: string): Promise<Readable>;
  /** Lists the paths of all files below a folder, in any order; none if the folder does not exist. */
  list(folder: string): Promise<string[]>;
  remove(path: string): Promise<void>;
  close(): void;
};
