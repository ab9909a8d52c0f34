import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireProjectClient } from "@platform/kit/rpc/server";
import type { FileAttachmentService } from "@platform/proto/files/v1/file_attachment";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import { requireAvailableFileObject } from "./require-file-object.ts";

/** Maximum number of bytes in one response, so that a large file does not block other calls on the same connection. */
const partBytes = 1024 * 1024;

/** The RPCs by which notify-svc attaches File Objects to emails. */
export function fileAttachments(
  files: FileObjectStore,
  blobs: Pick<BlobStore, "read">,
): Implementation<typeof FileAttachmentService> {
  return {
    listAttachableFiles: async ({ fileObjectIds }, call) => {
      const clientId = requireProjectClient(call).id;
      const found = await Promise.all(fileObjectIds.map((id) => files.find(clientId, id)));
      return {
        files: found.flatMap((file) =>
          file?.state === "available" && file.sizeBytes !== null
            ? [{ id: file.id, contentType: file.contentType, bytes: BigInt(file.sizeBytes) }]
            : [],
        ),
      };
    },
    readAttachableFile: async ({ fileObjectId, offset }, call) => {
      const file = await requireAvailableFileObject(files, requireProjectClient(call).id, fileObjectId);
      const start = Number(offset);
      const end = Math.min(start + partBytes, file.sizeBytes ?? 0) - 1;
      if (start < 0) throw new ServiceError("contract_violation", "The offset must not be negative.");
      if (end < start) return { content: new Uint8Array() };
      const parts: Buffer[] = [];
      for await (const part of await blobs.read(fileObjectBlobKey(file.sha256, file.id), { start, end }))
        parts.push(part as Buffer);
      return { content: Buffer.concat(parts) };
    },
  };
}
