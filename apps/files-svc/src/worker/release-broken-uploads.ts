import type { Sweep } from "@platform/kit/jobs/work";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { FileObjectStore } from "../store/file-objects.ts";

/**
 * Makes a grant usable again if the process or the gateway died during its upload, and removes the bytes that were
 * already written.
 */
export function releaseBrokenUploads(
  files: FileObjectStore,
  blobs: BlobStore,
  sweep: Sweep,
  signal: AbortSignal,
): Promise<void> {
  return sweep.run({
    find: files.listBrokenUploads,
    idOf: ({ id }) => id,
    work: async (broken) => {
      // The bytes must be removed before the state changes, because another upload may write under the same key
      // afterwards.
      await blobs.removeAttempt(fileObjectBlobKey(broken.sha256, broken.id), broken.uploadId ?? "");
      await files.releaseBrokenUpload(broken);
    },
    signal,
  });
}
