import { ownerOfBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import type { PublicAssetStore } from "../store/public-assets.ts";

/** Bytes younger than this may belong to an upload that is running: the longest takes two hours. */
const orphanAgeMs = 24 * 3_600_000;

/**
 * Removes blobs without a record. Ordinary deletions remove bytes by name; this finds those that a crash could leave: an upload given up during a
 * pause of its process, or a rendering that lost its race.
 */
export async function removeOrphanBlobs(
  blobs: BlobStore,
  files: Pick<FileObjectStore, "needsBlob">,
  publicAssets: Pick<PublicAssetStore, "findPublic">,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(now.getTime() - orphanAgeMs);
  let removed = await blobs.removeUnfinished(before, () => {});
  for await (const { key, storedAt } of blobs.list()) {
    if (signal.aborted) break;
    const owner = ownerOfBlobKey(key);
    if (owner === null || storedAt >= before) continue;
    const isNeeded =
      owner.area === "objects"
        ? await files.needsBlob(owner.ownerId)
        : (await publicAssets.findPublic(owner.ownerId, owner.sha256))?.isTakenDown === false;
    if (isNeeded) continue;
    await blobs.delete(key, null);
    removed += 1;
  }
  return removed;
}
