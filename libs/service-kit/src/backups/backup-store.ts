import type { Readable } from "node:stream";
import type { S3Access } from "../process/s3-env.ts";
import { openFolder } from "./folder.ts";
import { openS3Prefix } from "./s3-prefix.ts";

/** Files of backups below one place. Paths are relative to it and separated by slashes. */
export type BackupStore = {
  /** Writes a file. It appears whole, or not at all. */
  write(path: string, content: Readable): Promise<void>;
  /** @throws when there is no such file */
  read(path: string): Promise<Readable>;
  /** Paths of all files below a folder, in any order; none where it is not there. */
  list(folder: string): Promise<string[]>;
  remove(path: string): Promise<void>;
  close(): void;
};

/** Opens a place: a folder, or `s3://bucket/prefix`. */
export function openBackupStore(place: string, access: S3Access): BackupStore {
  const [, bucket, prefix = ""] = /^s3:\/\/([^/]+)\/*(.*)$/.exec(place) ?? [];
  return bucket === undefined ? openFolder(place) : openS3Prefix(bucket, prefix.replace(/\/*$/, ""), access);
}
