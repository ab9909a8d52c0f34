import { deadlineSignal } from "@platform/kit/rpc/client";
import { deadlineExceeded, ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireIdempotency, requireProjectClient } from "@platform/kit/rpc/server";
import type { FilesService } from "@platform/proto/files/v1/files_service";
import type { PublishImage } from "../content/publish-image.ts";
import { isImageContentType } from "../domain/file-object.ts";
import { publicAssetUrl } from "../domain/image-preset.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import type { ImagePresetStore } from "../store/image-presets.ts";
import type { PublicAssetStore, PublishedAsset } from "../store/public-assets.ts";
import { requireAvailableFileObject } from "./require-file-object.ts";

export type CreatePublicAssetDependencies = {
  readonly files: FileObjectStore;
  readonly imagePresets: ImagePresetStore;
  readonly publicAssets: PublicAssetStore;
  readonly publishImage: PublishImage;
  readonly publicBaseUrl: string;
};

/**
 * Publishes an image. A file is published only once for each preset and revision of the preset, even with different
 * idempotency keys.
 */
export function createPublicAsset(
  dependencies: CreatePublicAssetDependencies,
): Implementation<typeof FilesService>["createPublicAsset"] {
  const { files, imagePresets, publicAssets, publishImage, publicBaseUrl } = dependencies;
  const answer = ({ id, version }: PublishedAsset, replayed: boolean) => ({
    id,
    version: version.version,
    url: publicAssetUrl(publicBaseUrl, id, version),
    sha256: version.sha256,
    replayed,
  });
  return async ({ fileObjectId, imagePresetId }, call) => {
    const clientId = requireProjectClient(call).id;
    const claim = requireIdempotency(call);
    const [file, preset] = await Promise.all([
      requireAvailableFileObject(files, clientId, fileObjectId),
      imagePresets.find(imagePresetId),
    ]);
    if (!isImageContentType(file.contentType)) {
      throw new ServiceError("file_object_not_image", "The File Object is not an image.");
    }
    if (preset === null)
      throw new ServiceError("image_preset_not_found", "There is no approved image preset with this id.");
    const [earlier, found] = await Promise.all([
      publicAssets.claimKey(clientId, claim),
      publicAssets.find(clientId, file.id, preset.id),
    ]);
    if (earlier !== null) return answer(earlier, true);
    const published = await withinDeadline(publishImage(file, preset, found), call.deadlineMs);
    await publicAssets.settleKey(clientId, claim, published);
    return answer(published, false);
  };
}

/** Waits for the work until the deadline. The work continues after that, and a retry finds its result. */
async function withinDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  work.catch(() => {});
  if (!Number.isFinite(deadlineMs)) return work;
  const signal = deadlineSignal(deadlineMs - 100);
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(deadlineExceeded()), { once: true });
    work.then(resolve, reject);
  });
}
