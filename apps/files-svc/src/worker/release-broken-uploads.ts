import type { Sweep } from "@platform/kit/jobs/work";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { FileObjectStore } from "../store/file-objects.ts";

/** Makes the grants of uploads whose process died, or whose gateway did, usable again, and removes what was written of them. */
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
      // Before the state changes: afterwards another upload may write under the same key.
      await blobs.removeAttempt(fileObjectBlobKey(broken.sha256, broken.id), broken.uploadId ?? "");
      await files.releaseBrokenUpload(broken);
    },
    signal,
  });
}
