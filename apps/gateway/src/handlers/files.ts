import type { filesOperations } from "@platform/contracts/operations/files";
import type { HandlersFor } from "../handler.ts";
import { completeFileObject } from "./files/complete-file-object.ts";
import { createDownloadGrant } from "./files/create-download-grant.ts";
import { createPublicAsset } from "./files/create-public-asset.ts";
import { createUploadGrant } from "./files/create-upload-grant.ts";

/** Handlers of the operations files-svc owns; uploads and downloads are streamed and need none. */
export const filesHandlers = {
  "files.createUploadGrant": createUploadGrant,
  "files.completeFileObject": completeFileObject,
  "files.createDownloadGrant": createDownloadGrant,
  "files.createPublicAsset": createPublicAsset,
} satisfies HandlersFor<typeof filesOperations>;
