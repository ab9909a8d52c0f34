import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type MultipartUpload,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import type { BlobKey } from "../../domain/blob-key.ts";
import type { BlobStore, BlobWriter } from "./blob-store.ts";

export type S3Settings = {
  readonly bucket: string;
  readonly region: string;
  /** Null means AWS itself. */
  readonly endpoint: string | null;
  /** Null means the SDK's own chain: environment, profile, instance role. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Bucket in the path instead of in the host name, as most S3-compatible stores want it. */
  readonly forcePathStyle: boolean;
  /** Put in front of every key, for a bucket used by others too; empty or ending in a slash. */
  readonly prefix: string;
  /** Folder for local copies. */
  readonly workFolder: string;
};

/** S3 wants parts of at least 5 MiB; two in flight bound an upload's memory. */
const partBytes = 5 * 1024 * 1024;
const partsInFlight = 2;

/**
 * Blobs as objects of an S3-compatible store. An object appears when its multipart upload is completed, never before, and every part
 * carries a checksum the store verifies.
 */
export function createS3BlobStore(settings: S3Settings): BlobStore & { close(): void } {
  const { bucket, prefix } = settings;
  const client = new S3Client({
    region: settings.region,
    forcePathStyle: settings.forcePathStyle,
    maxAttempts: 3,
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
    ...(settings.credentials === null ? {} : { credentials: settings.credentials }),
  });
  const target = (key: BlobKey) => ({ Bucket: bucket, Key: `${prefix}${key}` });
  const open = async (key: BlobKey, range?: string): Promise<Readable> => {
    const object = await client.send(
      new GetObjectCommand({ ...target(key), ...(range === undefined ? {} : { Range: range }) }),
    );
    return object.Body as Readable;
  };

  return {
    kind: "s3",
    close: () => client.destroy(),
    createWriter: async (key) => createObjectWriter(client, target(key)),
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
    // An unfinished multipart upload has no name of ours; removeUnfinished finds it by its age.
    delete: async (key) => {
      await client.send(new DeleteObjectCommand(target(key)));
    },
    list: async function* () {
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
        for (const object of page.Contents ?? []) {
          if (object.Key === undefined || object.LastModified === undefined) continue;
          yield { key: object.Key.slice(prefix.length), storedAt: object.LastModified };
        }
      }
    },
    removeUnfinished: async (before) => {
      let removed = 0;
      for (const upload of await listUploads(client, bucket, prefix)) {
        if (upload.Initiated === undefined || upload.Initiated >= before) continue;
        const target = { Bucket: bucket, Key: upload.Key, UploadId: upload.UploadId };
        await client.send(new AbortMultipartUploadCommand(target));
        removed += 1;
      }
      return removed;
    },
    check: async () => {
      await client.send(new HeadBucketCommand({ Bucket: bucket }));
      return true;
    },
  };
}

/**
 * The first thousand unfinished uploads; the next run finds the rest. Some S3-compatible stores cannot list them: there the bucket's
 * own lifecycle rule (AbortIncompleteMultipartUpload) has to remove them.
 */
async function listUploads(client: S3Client, bucket: string, prefix: string): Promise<MultipartUpload[]> {
  try {
    const page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
    return page.Uploads ?? [];
  } catch (error) {
    if ((error as Error).name === "NotImplemented") return [];
    throw error;
  }
}

/** Streams into a multipart upload, which is completed by `commit` only. */
function createObjectWriter(client: S3Client, target: { Bucket: string; Key: string }): BlobWriter {
  const body = new PassThrough({ highWaterMark: partBytes });
  const upload = new Upload({
    client,
    params: { ...target, Body: body },
    partSize: partBytes,
    queueSize: partsInFlight,
  });
  let failure: unknown;
  const done = upload.done().then(
    () => {},
    (error: unknown) => {
      failure = error;
      body.destroy();
    },
  );
  const drained = async (): Promise<void> => {
    if (failure === undefined) await Promise.race([once(body, "drain"), done]);
    if (failure !== undefined) throw failure;
  };
  return {
    write: async (bytes) => {
      // A part may be sent long after its bytes were taken.
      if (failure !== undefined || !body.write(Buffer.from(bytes))) await drained();
    },
    commit: async () => {
      body.end();
      await done;
      if (failure !== undefined) throw failure;
    },
    abort: async () => {
      await upload.abort().catch(() => {});
      body.destroy();
      await done;
    },
  };
}

function isAbsent(error: unknown): boolean {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return name === "NotFound" || name === "NoSuchKey" || $metadata?.httpStatusCode === 404;
}
