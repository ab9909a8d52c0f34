import { z } from "zod";
import { dateTime, integer, uri, uuid } from "../formats.ts";
import { noAuth, type OperationFamily, projectCredential, recoveredKey, replayedKey } from "../operation.ts";
import { hex64 } from "../text.ts";

/** The content types that a File Object may have. */
export const fileContentTypes = ["application/pdf", "image/gif", "image/jpeg", "image/png", "text/plain"] as const;

/** Maximum size of a file in bytes: 1 GiB. */
export const fileBytesMax = 1_073_741_824;

export const CreateUploadGrantBody = z.strictObject({
  expected_sha256: hex64.describe("SHA-256 of the bytes that you will upload, in lower-case hex."),
  expected_content_type: z.enum(fileContentTypes).meta({
    id: "FileContentType",
    description: "Media type of the bytes. The platform inspects the bytes to verify it.",
  }),
  maximum_bytes: integer(1, fileBytesMax).describe(
    "Maximum number of bytes that you will upload. They are reserved from the quota until the upload is complete.",
  ),
});

export const UploadGrant = z
  .object({
    data: z
      .object({
        file_object_id: uuid.describe("Id of the File Object that the upload creates."),
        upload_token: hex64.describe("Token for a single upload. It is returned only once."),
        expires_at: dateTime.describe("Time until which the token can be used."),
      })
      .meta({ id: "UploadGrant", description: "Permission for one upload." }),
  })
  .meta({ id: "UploadGrantResponse" });

const UploadedFile = z
  .object({
    data: z
      .object({
        file_object_id: uuid.describe("Id of the File Object. It stays in quarantine until it is classified."),
      })
      .meta({ id: "UploadedFile", description: "Confirmation that the bytes were received." }),
  })
  .meta({ id: "UploadedFileResponse" });

export const FileObject = z
  .object({
    data: z
      .object({
        id: uuid.describe("Id of the File Object."),
        status: z.enum(["pending_upload", "quarantined", "available", "rejected"]).meta({
          id: "FileObjectStatus",
          description:
            "`quarantined`: the file is being inspected. `available`: the file can be downloaded. `rejected`: the file can never be downloaded.",
        }),
        rejection_reason: z
          .enum([
            "malware_detected",
            "content_type_mismatch",
            "image_undecodable",
            "image_too_large",
            "text_not_utf8",
            "pdf_unsafe",
          ])
          .meta({ id: "FileRejectionReason", description: "Reason why the inspection rejected the file." })
          .nullable()
          .describe("Null unless the file is rejected."),
      })
      .meta({ id: "FileObject", description: "An uploaded file and its classification." }),
  })
  .meta({ id: "FileObjectResponse" });

export const DownloadGrant = z
  .object({
    data: z
      .object({
        grant_id: uuid.describe("Id of the grant."),
        download_url: uri(2048).describe(
          "URL that returns the bytes to anyone who has it. Keep it as secret as the file.",
        ),
        expires_at: dateTime.describe("Time until which the URL can be used."),
      })
      .meta({ id: "DownloadGrant", description: "Permission to download a file from a private URL." }),
  })
  .meta({ id: "DownloadGrantResponse" });

export const PublicAsset = z
  .object({
    data: z
      .object({
        id: uuid.describe("Id of the Public Asset."),
        version: integer(1).describe("Number of images published so far from this File Object with this preset."),
        url: uri(2048).describe("URL that returns the image to anyone. Its content never changes."),
        sha256: hex64.describe("SHA-256 of the published bytes."),
      })
      .meta({ id: "PublicAsset", description: "An image that anyone can read." }),
  })
  .meta({ id: "PublicAssetResponse" });

const FileObjectParams = z.object({ fileObjectId: uuid.describe("Id of the File Object, from the upload grant.") });

export const filesOperations = {
  "files.createUploadGrant": {
    method: "POST",
    path: "/file-objects/upload-grants",
    summary: "Start an upload",
    description:
      "The upload token is returned only once. A repeat with the same key is rejected. If you lost the response, ask for a new grant with a new key.",
    upstream: "files",
    transport: "call",
    auth: projectCredential("files:write"),
    correlationIdDeclared: true,
    idempotency: { maxLength: 120, replay: "refuse", reusedStatus: 422 },
    quota: { resource: "storage_bytes", amount: { bodyField: "maximum_bytes" } },
    params: null,
    body: CreateUploadGrantBody,
    status: 200,
    response: UploadGrant,
    errors: ["upload_grant_already_issued"],
    served: true,
  },
  "files.uploadFile": {
    method: "PUT",
    path: "/file-uploads/{uploadToken}",
    summary: "Upload the bytes of a File Object",
    description:
      "The token is consumed before the first byte is read, even if the upload fails. If you do not know whether an upload succeeded, obtain a new grant. Pages of any origin may upload (CORS, without credentials). A preflight request does not consume the token.",
    cors: { sent: [], read: [] },
    upstream: "files",
    transport: "proxy",
    auth: noAuth,
    correlationIdDeclared: false,
    idempotency: null,
    quota: null,
    params: z.object({ uploadToken: hex64.describe("The upload_token of the grant.") }),
    body: null,
    bodyBytesMax: fileBytesMax,
    rawBody: ["application/octet-stream", ...fileContentTypes],
    status: 200,
    response: UploadedFile,
    errors: [
      "upload_token_invalid",
      "upload_checksum_mismatch",
      "upload_too_large",
      "upload_content_type_mismatch",
      "unsupported_media_type",
    ],
    served: true,
  },
  "files.completeFileObject": {
    method: "POST",
    path: "/file-objects/{fileObjectId}/complete",
    summary: "Classify an uploaded File Object",
    description: "Returns the current classification. You can repeat the request safely.",
    upstream: "files",
    transport: "call",
    auth: projectCredential("files:write"),
    correlationIdDeclared: true,
    idempotency: null,
    quota: null,
    params: FileObjectParams,
    body: null,
    status: 200,
    response: FileObject,
    errors: ["file_object_not_found", "file_object_not_uploaded"],
    served: true,
  },
  "files.createDownloadGrant": {
    method: "POST",
    path: "/file-objects/{fileObjectId}/download-grants",
    summary: "Grant a private download",
    description: "If you lost the response, repeat the request with the same key and File Object to get it again.",
    upstream: "files",
    transport: "call",
    auth: projectCredential("files:read"),
    correlationIdDeclared: true,
    idempotency: recoveredKey,
    quota: null,
    params: FileObjectParams,
    body: null,
    status: 200,
    response: DownloadGrant,
    errors: ["file_object_not_found", "file_object_not_available"],
    served: true,
  },
  "files.createPublicAsset": {
    method: "POST",
    path: "/file-objects/{fileObjectId}/public-assets",
    summary: "Publish an image under an approved preset",
    description:
      "The preset determines the size and format of the image. Publishing removes metadata, such as the place where a photo was taken.",
    upstream: "files",
    transport: "call",
    auth: projectCredential("files:write"),
    correlationIdDeclared: true,
    idempotency: replayedKey,
    quota: null,
    params: FileObjectParams,
    body: z.strictObject({
      image_preset_id: uuid.describe("Id of an approved image preset. An operator gives it to you."),
    }),
    status: 200,
    response: PublicAsset,
    errors: ["file_object_not_found", "file_object_not_available", "file_object_not_image", "image_preset_not_found"],
    served: true,
  },
} as const satisfies OperationFamily;
