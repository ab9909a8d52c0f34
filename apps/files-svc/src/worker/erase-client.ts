import type { CompensationStore } from "../store/compensations.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import type { PublicAssetStore } from "../store/public-assets.ts";

const batchSize = 200;

type Stores = {
  readonly files: Pick<FileObjectStore, "listKept" | "delete">;
  readonly publicAssets: Pick<PublicAssetStore, "listPublished" | "takeDown">;
  readonly compensations: Pick<CompensationStore, "pay">;
  /** Removes what else is kept of a client: its links and settings. @returns how many records */
  readonly eraseRest: (clientId: string, signal: AbortSignal) => Promise<number>;
};

/** Deletes every File Object of a client and takes its Public Assets down; their records stay as tombstones. Doing it again finds nothing. */
export async function eraseClient(
  { files, publicAssets, compensations, eraseRest }: Stores,
  clientId: string,
  signal: AbortSignal,
): Promise<number> {
  let erased = 0;
  for (let ids = await publicAssets.listPublished(clientId, batchSize); ids.length > 0 && !signal.aborted; ) {
    for (const id of ids) await publicAssets.takeDown(id);
    erased += ids.length;
    ids = await publicAssets.listPublished(clientId, batchSize);
  }
  for (let ids = await files.listKept(clientId, batchSize); ids.length > 0 && !signal.aborted; ) {
    for (const id of ids) {
      await files.delete(id);
      await compensations.pay(clientId, id);
    }
    erased += ids.length;
    ids = await files.listKept(clientId, batchSize);
  }
  return erased + (await eraseRest(clientId, signal));
}
