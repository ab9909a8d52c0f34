import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type MultipartUpload,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { type S3Access, s3Compatibility } from "@platform/kit/process/env";
import { defined } from "@platform/kit/process/fields";
import type { BlobKey } from "../../domain/blob-key.ts";
import { type BlobStore, markerKey } from "./blob-store.ts";
import { createS3Writer, partBytes } from "./s3-writer.ts";

export type S3Settings = S3Access & {
  readonly bucket: string;
  /** Prefix of every key, for a bucket that is used by others as well. It is empty or ends with a slash. */
  readonly prefix: string;
  /** Folder for local copies. */
  readonly workFolder: string;
};

/**
 * Time limits, because a store that no longer responds must not block uploads and their memory. A part of 5 MiB takes
 * a minute at 85 KB/s.
 */
const connectMs = 5_000;
const answerMs = 60_000;

/** Stores blobs as objects of an S3-compatible store. */
export function createS3BlobStore(settings: S3Settings): BlobStore & { close(): void } {
  const { bucket, prefix } = settings;
  const client = new S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    maxAttempts: 3,
    ...s3Compatibility,
    requestHandler: { connectionTimeout: connectMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
    ...defined({ endpoint: settings.endpoint, credentials: settings.credentials }),
  });
  const target = (key: BlobKey) => ({ Bucket: bucket, Key: `${prefix}${key}` });
  const open = async (key: BlobKey, range?: string): Promise<Readable> => {
    const object = await client.send(new GetObjectCommand({ ...target(key), ...defined({ Range: range }) }));
    return object.Body as Readable;
  };

  return {
    kind: "s3",
    writerBytes: partBytes,
    close: () => client.destroy(),
    createWriter: async (key) => createS3Writer(client, target(key)),
    size: async (key) => {
      try {
        return (await client.send(new HeadObjectCommand(target(key)))).ContentLength ?? null;
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
    },
    read: async (key, range) => open(key, range === null ? undefined : `bytes=${range.start}-${range.end}`),
    localCopy: async (key) => {
      const path = join(settings.workFolder, `blob-${randomUUID()}`);
      const release = () => rm(path, { force: true });
      try {
        await pipeline(await open(key), createWriteStream(path, { flags: "wx" }));
      } catch (error) {
        await release();
        throw error;
      }
      return { path, release };
    },
    delete: async (key) => {
      // Some stores respond with 404 to the deletion of a missing object.
      await client.send(new DeleteObjectCommand(target(key))).catch(ignoreAbsent);
    },
    // An unfinished multipart upload has no name that we could know; `removeUnfinished` finds it by its age.
    removeAttempt: async () => {},
    list: async function* () {
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
        for (const object of page.Contents ?? []) {
          if (object.Key === undefined || object.LastModified === undefined) continue;
          yield { key: object.Key.slice(prefix.length), storedAt: object.LastModified };
        }
      }
    },
    removeUnfinished: async (before, onFailure) => {
      let removed = 0;
      for (const upload of await listUploads(client, bucket, prefix)) {
        if (upload.Initiated === undefined || upload.Initiated >= before) continue;
        const target = { Bucket: bucket, Key: upload.Key, UploadId: upload.UploadId };
        try {
          // If the upload has ended in the meantime, it counts as removed as well.
          await client.send(new AbortMultipartUploadCommand(target)).catch(ignoreAbsent);
          removed += 1;
        } catch (error) {
          onFailure(error);
        }
      }
      return removed;
    },
    readMarker: async () => {
      try {
        return await text(await open(markerKey));
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
    },
    writeMarker: async (body) => {
      await client.send(new PutObjectCommand({ ...target(markerKey), Body: body, ContentType: "application/json" }));
    },
    check: async () => {
      await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error: unknown) => {
        // A store that denies access to the bucket itself is still reachable. This request cannot tell whether
        // objects can be read.
        if (statusOf(error) !== 403) throw error;
      });
      return true;
    },
  };
}

/**
 * Lists the first thousand unfinished uploads; the next run finds the rest. Some S3-compatible stores cannot list
 * them. For those stores, the bucket's own lifecycle rule (AbortIncompleteMultipartUpload) has to remove them.
 */
async function listUploads(client: S3Client, bucket: string, prefix: string): Promise<MultipartUpload[]> {
  try {
    const page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
    return page.Uploads ?? [];
  } catch (error) {
    if (cannotList.has(statusOf(error))) return [];
    throw error;
  }
}

/** The statuses of stores that do not list unfinished uploads, or not for this user. */
const cannotList: ReadonlySet<number | undefined> = new Set([403, 404, 405, 501]);

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

function isAbsent(error: unknown): boolean {
  const { name } = error as { name?: string };
  return name === "NotFound" || name === "NoSuchKey" || name === "NoSuchUpload" || statusOf(error) === 404;
}

function ignoreAbsent(error: unknown): void {
  if (!isAbsent(error)) throw error;
}
