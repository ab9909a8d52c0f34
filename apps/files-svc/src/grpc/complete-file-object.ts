import { setTimeout as delay } from "node:timers/promises";
import { defined } from "@platform/kit/process/fields";
import { steadyNowMs } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import { type FilesService, FileObjectStatus as Wire } from "@platform/proto/files/v1/files_service";
import { type FileObject, type FileObjectStatus, publicStatus } from "../domain/file-object.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import { requireFileObject } from "./require-file-object.ts";

const wireStatuses: Readonly<Record<FileObjectStatus, Wire>> = {
  pending_upload: Wire.PENDING_UPLOAD,
  quarantined: Wire.QUARANTINED,
  available: Wire.AVAILABLE,
  rejected: Wire.REJECTED,
};

/** Maximum wait if the caller sets no deadline, and the time that is reserved for the response, in milliseconds. */
const waitMsMax = 4_000;
const answerReserveMs = 250;
const firstLookMs = 10;
const laterLookMs = 100;

/**
 * Returns the state of the classification, which started when the upload ended. Waits for its end as long as the
 * deadline permits; otherwise the response is `quarantined`, and the caller calls again.
 */
export function completeFileObject(
  files: FileObjectStore,
  announceQuarantined: () => void,
): Implementation<typeof FilesService>["completeFileObject"] {
  return async ({ fileObjectId }, call) => {
    const clientId = requireProjectClient(call).id;
    let file = await requireFileObject(files, clientId, fileObjectId);
    if (publicStatus(file.state) === "pending_upload") {
      throw new ServiceError("file_object_not_uploaded", "No bytes have been uploaded for this File Object.");
    }
    if (file.state === "quarantined") {
      announceQuarantined();
      file = await waitForVerdict(file, call, () => requireFileObject(files, clientId, fileObjectId));
    }
    return {
      id: file.id,
      status: wireStatuses[publicStatus(file.state)],
      ...defined({ rejectionReason: file.rejectionReason }),
    };
  };
}

async function waitForVerdict(
  file: FileObject,
  call: ServerCall,
  look: () => Promise<FileObject>,
): Promise<FileObject> {
  const until = Math.min(call.deadlineMs - answerReserveMs, steadyNowMs() + waitMsMax);
  let present = file;
  let waitMs = firstLookMs;
  while (present.state === "quarantined" && steadyNowMs() + waitMs < until && !call.signal.aborted) {
    await delay(waitMs);
    present = await look();
    waitMs = Math.min(laterLookMs, waitMs * 1.5);
  }
  return present;
}
