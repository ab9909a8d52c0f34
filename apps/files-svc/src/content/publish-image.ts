import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "@platform/kit/process/secrets";
import { fileObjectBlobKey, publicAssetBlobKey } from "../domain/blob-key.ts";
import type { FileObject } from "../domain/file-object.ts";
import type { ImagePreset } from "../domain/image-preset.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { OpenAsset, PublicAssetStore, PublishedAsset } from "../store/public-assets.ts";
import type { Inspectors } from "./inspectors.ts";

/** Size of the steps in which a rendered image is written, in bytes. Each step waits for the previous one. */
const writeBytes = 1024 * 1024;

/**
 * Publishes an image under the current revision of a preset. If it is published already, the existing version is
 * returned.
 * @param found the asset of this file and preset as it was just read; null if there was none
 */
export type PublishImage = (file: FileObject, preset: ImagePreset, found: OpenAsset | null) => Promise<PublishedAsset>;

/** @param workFolder folder in which an image is rendered before it is stored */
export function createPublishImage(
  blobs: BlobStore,
  publicAssets: PublicAssetStore,
  inspectors: Inspectors,
  workFolder: string,
): PublishImage {
  const running = new Map<string, Promise<PublishedAsset>>();

  /** @param open opens the asset, while the image is being rendered */
  const render = async (file: FileObject, preset: ImagePreset, open: () => Promise<OpenAsset>) => {
    const target = join(workFolder, `render-${randomUUID()}`);
    const source = await blobs.localCopy(fileObjectBlobKey(file.sha256, file.id));
    try {
      // Both are awaited, even if one of them fails, because the file may be removed only once nothing writes to it
      // any more.
      const [opened, rendered] = await Promise.allSettled([
        open(),
        inspectors.render(file.projectClientId, source.path, target, preset),
      ]);
      if (rendered.status === "rejected") throw rendered.reason;
      if (opened.status === "rejected") throw opened.reason;
      const asset = opened.value;
      return { asset, sha256: await storeBlob(blobs, target, asset.id), size_bytes: (await stat(target)).size };
    } finally {
      await source.release();
      await rm(target, { force: true });
    }
  };
  const publish: PublishImage = async (file, preset, found) => {
    const known = found?.versions.find((version) => version.preset_revision === preset.revision);
    if (found !== null && known !== undefined) return { id: found.id, version: known };
    const open = async (): Promise<OpenAsset> => found ?? publicAssets.open(file.projectClientId, file.id, preset.id);
    const { asset, ...made } = await render(file, preset, open);
    const version = await publicAssets.addVersion(file.projectClientId, asset, {
      ...made,
      preset_revision: preset.revision,
      format: preset.format,
    });
    return { id: asset.id, version };
  };

  return (file, preset, found) => {
    // A request that is repeated during rendering waits for the rendering in progress.
    const name = `${file.id} ${preset.id} ${preset.revision}`;
    const joined = running.get(name);
    if (joined !== undefined) return joined;
    const work = publish(file, preset, found).finally(() => running.delete(name));
    running.set(name, work);
    return work;
  };
}

/** Stores a file under its own SHA-256, and returns the hash. */
async function storeBlob(blobs: BlobStore, path: string, assetId: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const sha256 = hash.digest("hex");
  const writer = await blobs.createWriter(publicAssetBlobKey(sha256, assetId), newId());
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: writeBytes }))
      await writer.write(chunk as Buffer);
    await writer.commit();
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return sha256;
}
