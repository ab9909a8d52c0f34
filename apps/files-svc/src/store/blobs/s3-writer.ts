import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import type { BlobWriter } from "./blob-store.ts";

/** Minimum size of a part, except the last one, that S3 accepts, in bytes. A writer keeps one part in memory. */
export const partBytes = 5 * 1024 * 1024;

/**
 * Writes an object in parts, one at a time. Each part is signed with its SHA-256, which the store verifies. The
 * object becomes visible with `commit`: an object of less than one part is stored by a single request, and a larger
 * one when its multipart upload is completed. `Upload` of @aws-sdk/lib-storage does the same, but keeps several
 * copies of every part in memory.
 */
export function createS3Writer(client: S3Client, target: { Bucket: string; Key: string }): BlobWriter {
  const cancel = new AbortController();
  const options = { abortSignal: cancel.signal };
  const part = Buffer.allocUnsafeSlow(partBytes);
  const sent: CompletedPart[] = [];
  let filled = 0;
  let uploadId: string | undefined;
  let last: Promise<void> = Promise.resolve();

  const sendPart = async (): Promise<void> => {
    uploadId ??= (await client.send(new CreateMultipartUploadCommand(target), options)).UploadId;
    const number = { UploadId: uploadId, PartNumber: sent.length + 1 };
    const { ETag } = await client.send(
      new UploadPartCommand({ ...target, ...number, Body: part.subarray(0, filled) }),
      options,
    );
    sent.push({ ETag, PartNumber: number.PartNumber });
    filled = 0;
  };
  const append = async (bytes: Uint8Array): Promise<void> => {
    for (let at = 0; at < bytes.byteLength; ) {
      const chunk = bytes.subarray(at, at + partBytes - filled);
      part.set(chunk, filled);
      filled += chunk.byteLength;
      at += chunk.byteLength;
      if (filled === partBytes) await sendPart();
    }
  };

  return {
    write: (bytes) => {
      last = last.then(() => append(bytes));
      return last;
    },
    commit: async () => {
      await last;
      if (sent.length === 0) {
        await client.send(new PutObjectCommand({ ...target, Body: part.subarray(0, filled) }), options);
        return;
      }
      if (filled > 0) await sendPart();
      const complete = { ...target, UploadId: uploadId, MultipartUpload: { Parts: sent } };
      await client.send(new CompleteMultipartUploadCommand(complete), options);
    },
    abort: async () => {
      cancel.abort();
      await last.catch(() => {});
      if (uploadId === undefined) return;
      await client.send(new AbortMultipartUploadCommand({ ...target, UploadId: uploadId })).catch(() => {});
    },
  };
}
