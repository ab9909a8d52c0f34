import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { filesOperations } from "@platform/contracts/operations/files";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Handler } from "../../handler.ts";

/** Starts an upload. The call is not retried: the token is returned only once, so files-svc would reject a retry. */
export const createUploadGrant: Handler<(typeof filesOperations)["files.createUploadGrant"]> = async (
  { body, call },
  { files },
) => {
  const grant = await files.fileObjects.createUploadGrant(
    {
      expectedSha256: body.expected_sha256,
      expectedContentType: body.expected_content_type,
      maximumBytes: BigInt(body.maximum_bytes),
    },
    call,
  );
  if (grant.expiresAt === undefined) throw new ServiceError("internal_error", "Something failed on our side.");
  return {
    data: {
      file_object_id: grant.fileObjectId,
      upload_token: grant.uploadToken,
      expires_at: timestampDate(grant.expiresAt).toISOString(),
    },
  };
};
