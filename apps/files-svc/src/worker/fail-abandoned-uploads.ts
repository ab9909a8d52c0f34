import type { FileObjectStore } from "../store/file-objects.ts";
import type { OwedWorkStore } from "../store/owed-work.ts";

/** Gives up uploads whose process died: their bytes go, and their reservation is given back. */
export async function failAbandonedUploads(
  files: FileObjectStore,
  owedWork: OwedWorkStore,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const failed = await files.failNextAbandonedUpload();
    if (failed === null) return;
    await owedWork.pay(failed.projectClientId, failed.id);
  }
}
