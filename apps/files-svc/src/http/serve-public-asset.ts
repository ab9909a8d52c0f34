import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "@platform/kit/rpc/errors";
import { publicAssetBlobKey } from "../domain/blob-key.ts";
import { imageFormatTypes } from "../domain/image-preset.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { PublicAssetStore } from "../store/public-assets.ts";
import { downloadNotFound } from "./download-file.ts";
import { sendBlob } from "./send-blob.ts";

export type ServePublicAssetDependencies = { readonly publicAssets: PublicAssetStore; readonly blobs: BlobStore };

/**
 * Handles GET and HEAD of /public-assets/{id}/{sha256}.{extension}. The bytes under a URL never change, so any cache
 * may keep them, and any origin may read them.
 */
export async function servePublicAsset(
  request: IncomingMessage,
  response: ServerResponse,
  name: { readonly id: string; readonly sha256: string; readonly extension: string },
  { publicAssets, blobs }: ServePublicAssetDependencies,
): Promise<void> {
  const found = await publicAssets.findPublic(name.id, name.sha256);
  if (found === null || imageFormatTypes[found.version.format].extension !== name.extension) throw downloadNotFound();
  const { version, isTakenDown } = found;
  if (isTakenDown) throw new ServiceError("public_asset_taken_down", "The Public Asset was taken down.");
  await sendBlob(request, response, blobs, {
    key: publicAssetBlobKey(version.sha256, name.id),
    sizeBytes: version.size_bytes,
    validators: { etag: `"${version.sha256}"`, lastModified: version.created_at },
    headers: {
      "content-type": imageFormatTypes[version.format].contentType,
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "access-control-allow-origin": "*",
    },
  });
}
