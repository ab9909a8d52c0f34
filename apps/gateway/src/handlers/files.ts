import type { filesOperations } from "@platform/contracts/operations/files";
import type { HandlersFor } from "../handler.ts";
import { completeFileObject } from "./files/complete-file-object.ts";
import { createDownloadGrant } from "./files/create-download-grant.ts";
import { createPublicAsset } from "./files/create-public-asset.ts";
import { createUploadGrant } from "./files/create-upload-grant.ts";

/** The handlers of the operations of files-svc. Uploads and downloads are streamed, so they have no handlers. */
export const filesHandlers = {
  "files.createUploadGrant": createUploadGrant,
  "files.completeFileObject": completeFileObject,
  "files.createDownloadGrant": createDownloadGrant,
  "files.createPublicAsset": createPublicAsset,
} satisfies HandlersFor<typeof filesOperations>;
