import type { Readable } from "node:stream";
import { DeleteObjectCommand, GetObjectCommand, paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { type S3Access, s3Compatibility } from "@platform/kit/process/env";
import { defined } from "@platform/kit/process/fields";
import type { BackupStore } from "./backup-store.ts";

/**
 * Size of a part in bytes. S3 accepts at most 10,000 parts, so a file may have up to 160 GB. Two parts are in memory at
 * a time.
 */
const partBytes = 16 * 1024 * 1024;
const partsAtOnce = 2;

/** Stores backups as objects below a prefix of a bucket. */
export function openS3Prefix(bucket: string, prefix: string, access: S3Access): BackupStore {
  const { region, endpoint, credentials, forcePathStyle } = access;
  const client = new S3Client({
    region,
    forcePathStyle,
    ...s3Compatibility,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
    ...defined({ endpoint, credentials }),
  });
  const root = prefix === "" ? "" : `${prefix}/`;
  const target = (path: string) => ({ Bucket: bucket, Key: `${root}${path}` });
  return {
    write: async (path, content) => {
      const params = { ...target(path), Body: content };
      try {
        await new Upload({ client, params, partSize: partBytes, queueSize: partsAtOnce }).done();
      } catch (error) {
        content.destroy(error as Error);
        throw error;
      }
    },
    read: async (path) => (await client.send(new GetObjectCommand(target(path)))).Body as Readable,
    list: async (folder) => {
      const paths: string[] = [];
      const query = { Bucket: bucket, Prefix: folder === "" ? root : `${root}${folder}/` };
      for await (const page of paginateListObjectsV2({ client }, query))
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) paths.push(Key.slice(root.length));
      return paths;
    },
    remove: async (path) => {
      // Some stores respond with 404 if the object to delete does not exist.
      await client
        .send(new DeleteObjectCommand(target(path)))
        .catch((error: { $metadata?: { httpStatusCode?: number } }) => {
          if (error.$metadata?.httpStatusCode !== 404) throw error;
        });
    },
    close: () => client.destroy(),
  };
}
