import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { DisabledClients } from "@platform/operator-plane/clients";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import { fileExtensions } from "../domain/file-object.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { DownloadGrantStore } from "../store/download-grants.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import { sendBlob } from "./send-blob.ts";

export type DownloadFileDependencies = {
  readonly files: FileObjectStore;
  readonly downloadGrants: DownloadGrantStore;
  readonly blobs: BlobStore;
  readonly disabledClients: Pick<DisabledClients, "has">;
};

/**
 * The error for a URL that is wrong, has expired, or belongs to something that cannot be read. All of them get the
 * same response.
 */
export function downloadNotFound(): ServiceError {
  return new ServiceError(
    "download_not_found",
    "The download URL is wrong or has expired, or its file no longer exists.",
  );
}

/**
 * Handles GET and HEAD of /file-downloads/{downloadToken}. Sends the bytes of an available File Object, always as an
 * attachment.
 */
export async function downloadFile(
  request: IncomingMessage,
  response: ServerResponse,
  downloadToken: string,
  { files, downloadGrants, blobs, disabledClients }: DownloadFileDependencies,
): Promise<void> {
  const opened = /^[0-9a-f]{64}$/.test(downloadToken) ? await downloadGrants.findByToken(downloadToken) : null;
  if (opened !== null && disabledClients.has(opened.clientId)) throw downloadNotFound();
  const file = opened === null ? null : await files.find(opened.clientId, opened.fileObjectId);
  if (file === null || file.state !== "available" || file.sizeBytes === null) throw downloadNotFound();
  await sendBlob(request, response, blobs, {
    key: fileObjectBlobKey(file.sha256, file.id),
    sizeBytes: file.sizeBytes,
    validators: { etag: `"${file.sha256}"`, lastModified: file.uploadedAt ?? file.createdAt },
    headers: {
      "content-type": file.contentType === "text/plain" ? "text/plain; charset=utf-8" : file.contentType,
      "content-disposition": `attachment; filename="${file.id}.${fileExtensions[file.contentType]}"`,
      "cache-control": "private, no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
    },
  });
}
