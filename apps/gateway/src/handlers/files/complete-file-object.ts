import type { DataOf } from "@platform/contracts/operation";
import type { filesOperations } from "@platform/contracts/operations/files";
import { ServiceError } from "@platform/kit/rpc/errors";
import { FileObjectStatus } from "@platform/proto/files/v1/files_service";
import type { Handler } from "../../handler.ts";

type Operation = (typeof filesOperations)["files.completeFileObject"];

const statuses = new Map<FileObjectStatus, DataOf<Operation>["status"]>([
  [FileObjectStatus.PENDING_UPLOAD, "pending_upload"],
  [FileObjectStatus.QUARANTINED, "quarantined"],
  [FileObjectStatus.AVAILABLE, "available"],
  [FileObjectStatus.REJECTED, "rejected"],
]);

/** Waits until an uploaded File Object is classified, at most until the deadline. */
export const completeFileObject: Handler<Operation> = async ({ params, call }, { files }) => {
  const file = await files.fileObjects.completeFileObject(
    { fileObjectId: params.fileObjectId },
    { ...call, retryUnavailable: true },
  );
  const status = statuses.get(file.status);
  if (status === undefined) throw new ServiceError("internal_error", "Something failed on our side.");
  const reason = (file.rejectionReason ?? null) as DataOf<Operation>["rejection_reason"];
  return { data: { id: file.id, status, rejection_reason: reason } };
};
