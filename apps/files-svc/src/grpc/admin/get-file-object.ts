import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import type { FileObject } from "../../domain/file-object.ts";
import type { FileObjectStore } from "../../store/file-objects.ts";

/** Shows an operator the record of a File Object, a deleted one too; never its bytes. */
export function getFileObject(files: FileObjectStore): Implementation<typeof FilesAdminService>["getFileObject"] {
  return async ({ projectClientId, fileObjectId }) => {
    const file = await files.findForOperator(fileObjectId);
    const isOther = projectClientId !== "" && file?.projectClientId !== projectClientId;
    if (file === null || isOther) throw fileObjectNotFound();
    return fileObjectMessage(file);
  };
}

export function fileObjectNotFound(): ServiceError {
  return new ServiceError("file_object_not_found", "No such File Object.");
}

/** A File Object as operators see it. */
export function fileObjectMessage(file: FileObject) {
  return {
    id: file.id,
    projectClientId: file.projectClientId,
    state: file.state,
    rejectionReason: file.rejectionReason ?? "",
    sizeBytes: BigInt(file.sizeBytes ?? 0),
    chargedBytes: BigInt(file.chargedBytes),
    malwareScan: file.malwareScan?.result ?? "",
    createdAt: timestampFromDate(file.createdAt),
    ...optionalTimestamp("deletedAt", file.deletedAt),
  };
}
