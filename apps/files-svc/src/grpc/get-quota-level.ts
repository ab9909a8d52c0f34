import type { QuotaLevelService } from "@platform/proto/files/v1/files_service";
import { type Implementation, requireProjectClient } from "@platform/service-kit/grpc/serve";
import type { FileObjectStore } from "../store/file-objects.ts";

/** Counts a quota level from the documents that are its truth, for a Redis that came back empty. */
export function getQuotaLevel(files: FileObjectStore): Implementation<typeof QuotaLevelService>["getQuotaLevel"] {
  return async ({ resource }, call) => {
    if (resource !== "storage_bytes") throw new Error(`files-svc does not own the level ${resource}`);
    return { used: BigInt(await files.countStorageBytes(requireProjectClient(call).id)) };
  };
}
