import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireProjectClient } from "@platform/kit/rpc/server";
import type { QuotaLevelService } from "@platform/proto/files/v1/files_service";
import type { FileObjectStore } from "../store/file-objects.ts";

/** Counts a gauge quota from the documents, in case Redis has lost it. */
export function getQuotaLevel(files: FileObjectStore): Implementation<typeof QuotaLevelService>["getQuotaLevel"] {
  return async ({ resource }, call) => {
    if (resource !== "storage_bytes")
      throw new ServiceError("contract_violation", "files-svc counts storage_bytes only");
    return { used: BigInt(await files.countStorageBytes(requireProjectClient(call).id)) };
  };
}
