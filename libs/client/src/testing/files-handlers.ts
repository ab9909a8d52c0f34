import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { check, found } from "./fail.ts";
import type { Handler } from "./handler.ts";
import { type Data, inHours, newId, newToken, type State } from "./state.ts";

function fileOf({ files }: State, id: string | undefined): Data {
  return found(files.get(id ?? ""), "file_object_not_found");
}

function availableFile(state: State, id: string | undefined): Data {
  const file = fileOf(state, id);
  check(file.status === "available", "file_object_not_available");
  return file;
}

export const filesHandlers = {
  "files.createUploadGrant": ({ files, uploads }, { body }) => {
    const file = { id: newId(), ...body, status: "pending_upload", rejection_reason: null };
    const upload_token = newToken();
    files.set(file.id, file);
    uploads.set(upload_token, file);
    return { data: { file_object_id: file.id, upload_token, expires_at: inHours(1) } };
  },
  "files.uploadFile": (state, { params, bytes, contentType }) => {
    const { uploadToken = "" } = params;
    const file = found(state.uploads.get(uploadToken), "upload_token_invalid");
    // Single-use: claimed before the bytes are read.
    state.uploads.delete(uploadToken);
    const isDeclared = contentType === "application/octet-stream" || contentType === file.expected_content_type;
    check(isDeclared, "upload_content_type_mismatch");
    check(bytes.byteLength <= file.maximum_bytes, "upload_too_large");
    check(bytesToHex(sha256(bytes)) === file.expected_sha256, "upload_checksum_mismatch");
    Object.assign(file, { status: "quarantined", bytes });
    return { data: { file_object_id: file.id } };
  },
  "files.completeFileObject": (state, { params }) => {
    const file = fileOf(state, params.fileObjectId);
    check(file.status !== "pending_upload", "file_object_not_uploaded");
    if (file.status === "quarantined") {
      const rejection_reason = state.nextRejections.shift() ?? null;
      Object.assign(file, { status: rejection_reason === null ? "available" : "rejected", rejection_reason });
    }
    return { data: { id: file.id, status: file.status, rejection_reason: file.rejection_reason } };
  },
  "files.createDownloadGrant": (state, { params }) => {
    const file = availableFile(state, params.fileObjectId);
    const type = encodeURIComponent(file.expected_content_type);
    const download_url = `https://platform.example.com/api/v1/file-downloads/${file.id}?type=${type}`;
    return { data: { grant_id: newId(), download_url, expires_at: inHours(0.25) } };
  },
  "files.createPublicAsset": (state, { params, body }) => {
    const file = availableFile(state, params.fileObjectId);
    check(file.expected_content_type.startsWith("image/"), "file_object_not_image");
    check(body.image_preset_id === state.imagePresetId, "image_preset_not_found");
    const known = state.publicAssets.get(file.id);
    const sha = file.expected_sha256;
    const asset = known ?? {
      id: newId(),
      version: 1,
      url: `https://platform.example.com/api/v1/public-assets/${sha}`,
      sha256: sha,
    };
    state.publicAssets.set(file.id, asset);
    return { data: asset };
  },
} as const satisfies Record<string, Handler>;
