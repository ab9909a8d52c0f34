import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { filesOperations } from "@platform/contracts/operations/files";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Handler } from "../../handler.ts";

/**
 * Grants private downloads. The gateway does not store the URL, because files-svc returns the same grant for the same
 * key.
 */
export const createDownloadGrant: Handler<(typeof filesOperations)["files.createDownloadGrant"]> = async (
  { params, call },
  { files },
) => {
  const grant = await files.fileObjects.createDownloadGrant(
    { fileObjectId: params.fileObjectId },
    { ...call, retryUnavailable: true },
  );
  if (grant.expiresAt === undefined) throw new ServiceError("internal_error", "Something failed on our side.");
  return {
    data: {
      grant_id: grant.grantId,
      download_url: grant.downloadUrl,
      expires_at: timestampDate(grant.expiresAt).toISOString(),
    },
    replayed: grant.replayed,
  };
};
