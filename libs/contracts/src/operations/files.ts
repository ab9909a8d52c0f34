import { z } from "zod";
import { dateTime, integer, uri, uuid } from "../formats.ts";
import { noAuth, type OperationFamily, projectCredential, recoveredKey, replayedKey } from "../operation.ts";
import { hex64 } from "../text.ts";

/** The content types a File Object may have. */
export const fileContentTypes = ["application/pdf", "image/gif", "image/jpeg", "image/png", "text/plain"] as const;

/** Largest file in bytes: 1 GiB. */
export const fileBytesMax = 1_073_741_824;

export const CreateUploadGrantBody = z.strictObject({
  expected_sha256: hex64.describe("SHA-256 of the bytes to come, in lower-case hex."),
  expected_content_type: z
    .enum(fileContentTypes)
    .meta({ id: "FileContentType", description: "Media type of the bytes; they are inspected for it." }),
  maximum_bytes: integer(1, fileBytesMax).describe(
    "Most bytes to come. They are reserved until the upload is complete.",
  ),
});

export const UploadGrant = z
  .object({
    data: z
      .object({
        file_object_id: uuid.describe("Id of the File Object to be."),
        upload_token: hex64.describe("Single-use, and returned only once."),
        expires_at: dateTime.describe("Until when the token may be used."),
      })
      .meta({ id: "UploadGrant", description: "Permission for one upload." }),
  })
  .meta({ id: "UploadGrantResponse" });

const UploadedFile = z
  .object({
    data: z
      .object({ file_object_id: uuid.describe("Id of the File Object, which is quarantined until it is classified.") })
      .meta({ id: "UploadedFile", description: "The bytes have arrived." }),
  })
  .meta({ id: "UploadedFileResponse" });

export const FileObject = z
  .object({
    data: z
      .object({
        id: uuid.describe("Id of the File Object."),
        status: z.enum(["pending_upload", "quarantined", "available", "rejected"]).meta({
          id: "FileObjectStatus",
          description: "`quarantined`: being inspected; `available`: may be downloaded; `rejected`: never will be.",
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
          .meta({ id: "FileRejectionReason", description: "What the inspection found." })
          .nullable()
          .describe("Null unless the file was rejected."),
      })
      .meta({ id: "FileObject", description: "An uploaded file and its classification." }),
  })
  .meta({ id: "FileObjectResponse" });

export const DownloadGrant = z
  .object({
    data: z
      .object({
        grant_id: uuid.describe("Id of the grant."),
        download_url: uri(2048).describe("Answers the bytes to whoever has it. Keep it as secret as the file."),
        expires_at: dateTime.describe("Until when the URL answers."),
      })
      .meta({ id: "DownloadGrant", description: "A private download." }),
  })
  .meta({ id: "DownloadGrantResponse" });

export const PublicAsset = z
  .object({
    data: z
      .object({
        id: uuid.describe("Id of the Public Asset."),
        version: integer(1).describe("Counts the images published from this File Object under this preset."),
        url: uri(2048).describe("Answers the image to anyone; what it answers never changes."),
        sha256: hex64.describe("SHA-256 of the published bytes."),
      })
      .meta({ id: "PublicAsset", description: "An image anyone may read." }),
  })
  .meta({ id: "PublicAssetResponse" });

const FileObjectParams = z.object({ fileObjectId: uuid.describe("Id of the File Object, from the upload grant.") });

export const filesOperations = {
  "files.createUploadGrant": {
    method: "POST",
    path: "/file-objects/upload-grants",
    summary: "Start an upload",
    description:
      "The upload token is returned only once: a repeat with the same key is refused, so after a lost answer ask for a new grant.",
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
      "The token is claimed before the first byte is read, so a failed upload uses it up. After an uncertain upload, obtain a new grant. Pages of any origin may upload (CORS, without credentials); a preflight does not touch the token.",
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
    description: "Returns the current classification. Safe to retry.",
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
    description: "The same key for the same File Object recovers a lost answer.",
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
    description: "The preset decides size and format and strips metadata, such as the place a photo was taken at.",
    upstream: "files",
    transport: "call",
    auth: projectCredential("files:write"),
    correlationIdDeclared: true,
    idempotency: replayedKey,
    quota: null,
    params: FileObjectParams,
    body: z.strictObject({ image_preset_id: uuid.describe("Id of an approved preset, from the operator.") }),
    status: 200,
    response: PublicAsset,
    errors: ["file_object_not_found", "file_object_not_available", "file_object_not_image", "image_preset_not_found"],
    served: true,
  },
} as const satisfies OperationFamily;
