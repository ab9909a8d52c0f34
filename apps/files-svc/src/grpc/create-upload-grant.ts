import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { hashToken, newToken } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireIdempotency, requireProjectClient } from "@platform/kit/rpc/server";
import type { FilesService } from "@platform/proto/files/v1/files_service";
import { isFileContentType } from "../domain/file-object.ts";
import type { FileObjectStore } from "../store/file-objects.ts";

/**
 * Grants one upload. Only this response contains the token, which is stored as a hash. A repeated request is
 * rejected, because the token cannot be returned again.
 */
export function createUploadGrant(files: FileObjectStore): Implementation<typeof FilesService>["createUploadGrant"] {
  return async (request, call) => {
    const { expectedContentType } = request;
    if (!isFileContentType(expectedContentType)) throw new Error("the gateway let an unknown content type through");
    const claim = requireIdempotency(call);
    const uploadToken = newToken();
    const grant = await files.insertGrant(requireProjectClient(call).id, {
      expectedSha256: request.expectedSha256,
      expectedContentType,
      maximumBytes: Number(request.maximumBytes),
      uploadTokenHash: hashToken(uploadToken),
      idempotencyKey: claim.key,
      idempotencyFingerprint: claim.fingerprint,
    });
    if (!grant.isNew) {
      throw new ServiceError(
        "upload_grant_already_issued",
        "This Idempotency-Key has issued its upload grant; the token is returned only once. Use a new key for a new grant.",
        { details: { file_object_id: grant.id } },
      );
    }
    return { fileObjectId: grant.id, uploadToken, expiresAt: timestampFromDate(grant.expiresAt) };
  };
}
