import { publicAssetBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { CompensationStore } from "../store/compensations.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import type { PublicAssetStore } from "../store/public-assets.ts";

const batchSize = 200;

type Stores = {
  readonly files: Pick<FileObjectStore, "listKept" | "delete">;
  readonly publicAssets: Pick<PublicAssetStore, "listPublished" | "takeDown">;
  readonly compensations: Pick<CompensationStore, "pay">;
  readonly blobs: Pick<BlobStore, "delete">;
  /** Removes all other records of a client: its links and its settings. @returns how many records were removed */
  readonly eraseRest: (clientId: string, signal: AbortSignal) => Promise<number>;
};

/**
 * Deletes every File Object of a client and takes down its Public Assets. Their records are kept as tombstones. It
 * can be repeated.
 */
export async function eraseClient(
  { files, publicAssets, compensations, blobs, eraseRest }: Stores,
  clientId: string,
  signal: AbortSignal,
): Promise<number> {
  let erased = 0;
  const failures: unknown[] = [];
  /**
   * If the bytes of one resource cannot be removed, the erasure continues with the next one. The sweeps remove those
   * bytes later.
   */
  const goOn = (work: Promise<void>): Promise<void> => work.catch((error: unknown) => void failures.push(error));
  for (let ids = await publicAssets.listPublished(clientId, batchSize); ids.length > 0 && !signal.aborted; ) {
    for (const id of ids) {
      const asset = await publicAssets.takeDown(id, clientId);
      for (const { sha256 } of asset?.versions ?? []) await goOn(blobs.delete(publicAssetBlobKey(sha256, id), null));
    }
    erased += ids.length;
    ids = await publicAssets.listPublished(clientId, batchSize);
  }
  for (let ids = await files.listKept(clientId, batchSize); ids.length > 0 && !signal.aborted; ) {
    for (const id of ids) {
      await files.delete(id);
      await goOn(compensations.pay(clientId, id));
    }
    erased += ids.length;
    ids = await files.listKept(clientId, batchSize);
  }
  erased += await eraseRest(clientId, signal);
  if (failures.length > 0) throw failures[0];
  return erased;
}
