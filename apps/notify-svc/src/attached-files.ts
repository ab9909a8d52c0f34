import { defined } from "@platform/kit/process/fields";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import { FileAttachmentService } from "@platform/proto/files/v1/file_attachment";
import type { AttachedFile, MailContent } from "./domain/mail-fields.ts";

/** The owner of the files, and the request for which they are read. */
type Owner = { readonly projectClientId: string; readonly environment: string; readonly correlationId: string };

/** Reads the File Objects that are attached to emails from files-svc. */
export type AttachedFiles = {
  /** The sizes by id. Files that do not belong to the Project Client, or are not available, are missing. */
  sizes(owner: Owner, fileIds: readonly string[], deadlineMs?: number): Promise<ReadonlyMap<string, number>>;
  /** The files with their bytes; null if one is no longer available. Rejects while files-svc does not respond. */
  read(owner: Owner, attachments: MailContent["attachments"], signal: AbortSignal): Promise<AttachedFile[] | null>;
};

const gone = ["file_object_not_found", "file_object_not_available"] as const;

/** @param files the connection to files-svc */
export function createAttachedFiles(files: GrpcConnection): AttachedFiles {
  const service = files.service(FileAttachmentService);
  const callOf = ({ projectClientId: id, environment, correlationId }: Owner) => ({
    context: { correlationId, operation: "notify.attachFiles", projectClient: { id, environment }, idempotency: null },
    retryUnavailable: true,
  });
  const list = async (owner: Owner, fileIds: readonly string[], options: object) => {
    const request = { fileObjectIds: [...new Set(fileIds)] };
    return (await service.listAttachableFiles(request, { ...callOf(owner), ...options })).files;
  };
  const readOne = async (owner: Owner, fileObjectId: string, bytes: number, signal: AbortSignal): Promise<Buffer> => {
    const parts: Uint8Array[] = [];
    for (let offset = 0; offset < bytes; ) {
      const request = { fileObjectId, offset: BigInt(offset) };
      const { content } = await service.readAttachableFile(request, { ...callOf(owner), signal });
      if (content.length === 0) break;
      parts.push(content);
      offset += content.length;
    }
    return Buffer.concat(parts);
  };
  return {
    sizes: async (owner, fileIds, deadlineMs) => {
      const found = await list(owner, fileIds, defined({ deadlineMs }));
      return new Map(found.map(({ id, bytes }) => [id, Number(bytes)]));
    },
    read: async (owner, attachments, signal) => {
      const found = new Map(
        (
          await list(
            owner,
            attachments.map(({ fileId }) => fileId),
            { signal },
          )
        ).map((file) => [file.id, file]),
      );
      const read: AttachedFile[] = [];
      for (const { fileId, name } of attachments) {
        const file = found.get(fileId);
        if (file === undefined) return null;
        try {
          const content = await readOne(owner, fileId, Number(file.bytes), signal);
          read.push({ name, contentType: file.contentType, content });
        } catch (error) {
          // The file was deleted after its size was read.
          if (gone.some((code) => isServiceError(error, code))) return null;
          throw error;
        }
      }
      return read;
    },
  };
}
