import type { Readable } from "node:stream";

/** The file whose presence marks a folder as a finished backup. */
export const manifestName = "manifest.json";

/** Files of backups below one place. Paths are relative to it and separated by slashes. */
export type BackupStore = {
  /** Writes a file. It appears whole, or not at all. */
  write(path: string, content: Readable): Promise<void>;
  /** @throws if there is no such file */
  read(path: string): Promise<Readable>;
  /** Paths of all files below a folder, in any order; empty if it does not exist. */
  list(folder: string): Promise<string[]>;
  remove(path: string): Promise<void>;
  close(): void;
};
