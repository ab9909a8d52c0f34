import type { filesOperations } from "@platform/contracts/operations/files";
import type { Handler } from "../../handler.ts";

/** Publishes an image under an approved preset. */
export const createPublicAsset: Handler<(typeof filesOperations)["files.createPublicAsset"]> = async (
  { params, body, call },
  { files },
) => {
  const asset = await files.fileObjects.createPublicAsset(
    { fileObjectId: params.fileObjectId, imagePresetId: body.image_preset_id },
    { ...call, retryUnavailable: true },
  );
  return {
    data: { id: asset.id, version: asset.version, url: asset.url, sha256: asset.sha256 },
    replayed: asset.replayed,
  };
};
