import type { S3Access } from "@platform/kit/process/env";
import type { BackupStore } from "./backup-store.ts";
import { openFolder } from "./folder.ts";
import { openS3Prefix } from "./s3-prefix.ts";

/** Opens the place where backups are stored: a folder, or `s3://bucket/prefix`. */
export function openBackupStore(place: string, access: S3Access): BackupStore {
  const [, bucket, prefix = ""] = /^s3:\/\/([^/]+)\/*(.*)$/.exec(place) ?? [];
  return bucket === undefined ? openFolder(place) : openS3Prefix(bucket, prefix.replace(/\/*$/, ""), access);
}
