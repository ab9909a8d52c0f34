import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Implementation, requireIdempotency, requireProjectClient } from "@platform/kit/rpc/server";
import type { FilesService } from "@platform/proto/files/v1/files_service";
import type { DownloadGrantStore } from "../store/download-grants.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import { requireAvailableFileObject } from "./require-file-object.ts";

/** Grants private downloads for five minutes. A repeated key recovers the grant that it created. */
export function createDownloadGrant(
  files: FileObjectStore,
  downloadGrants: DownloadGrantStore,
  publicBaseUrl: string,
): Implementation<typeof FilesService>["createDownloadGrant"] {
  return async ({ fileObjectId }, call) => {
    const clientId = requireProjectClient(call).id;
    const file = await requireAvailableFileObject(files, clientId, fileObjectId);
    const { grant, replayed } = await downloadGrants.grant(clientId, file.id, requireIdempotency(call));
    return {
      grantId: grant.id,
      downloadUrl: `${publicBaseUrl}/api/v1/file-downloads/${grant.token}`,
      expiresAt: timestampFromDate(grant.expiresAt),
      replayed,
    };
  };
}
