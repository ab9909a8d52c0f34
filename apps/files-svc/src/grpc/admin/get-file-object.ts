import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import type { FileObjectStore } from "../../store/file-objects.ts";
import { requireFileObject } from "../require-file-object.ts";

/** Shows an operator what is known of a File Object; never its bytes. */
export function getFileObject(files: FileObjectStore): Implementation<typeof FilesAdminService>["getFileObject"] {
  return async ({ projectClientId, fileObjectId }) => {
    const file = await requireFileObject(files, projectClientId, fileObjectId);
    return {
      id: file.id,
      state: file.state,
      rejectionReason: file.rejectionReason ?? "",
      sizeBytes: BigInt(file.sizeBytes ?? 0),
      chargedBytes: BigInt(file.chargedBytes),
      malwareScan: file.malwareScan?.result ?? "",
      createdAt: timestampFromDate(file.createdAt),
    };
  };
}
