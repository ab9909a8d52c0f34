import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, implementForOperators } from "@platform/kit/rpc/server";
import { newestFirst, oldestFirst } from "@platform/kit/store/documents";
import { invalidRequest } from "@platform/operator-plane/operators";
import { FileObjectAdminService } from "@platform/proto/files/v1/file_object_admin";
import type { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { publicAssetBlobKey } from "../../domain/blob-key.ts";
import { type FileObject, publicStatus, statesOf } from "../../domain/file-object.ts";
import { publicAssetUrl } from "../../domain/image-preset.ts";
import type { BlobStore } from "../../store/blobs/blob-store.ts";
import type { CompensationStore } from "../../store/compensations.ts";
import type { FileObjectStore } from "../../store/file-objects.ts";
import type { ListedAsset, PublicAssetStore } from "../../store/public-assets.ts";

type Rpcs = Implementation<typeof FileObjectAdminService>;

/** Dependencies of the operators' RPCs for File Objects. */
export type FileObjectAdminDependencies = {
  readonly files: FileObjectStore;
  readonly compensations: CompensationStore;
  readonly publicAssets: PublicAssetStore;
  readonly blobs: BlobStore;
  readonly publicBaseUrl: string;
  readonly logger: Logger;
};

/** Operator RPCs that find, delete and take down files. */
export function fileObjectAdmin(dependencies: FileObjectAdminDependencies) {
  const { files, compensations, publicAssets, blobs, publicBaseUrl, logger } = dependencies;
  const implementation: Rpcs = {
    listFileObjects: async ({ projectClientId, status, limit, cursor, oldestFirst: isOldestFirst }) => {
      if (status !== "" && !Object.hasOwn(statesOf, status)) {
        throw invalidRequest("/status", `must be ${Object.keys(statesOf).join(", ")}`);
      }
      const states = status === "" ? null : statesOf[status as keyof typeof statesOf];
      const clientId = projectClientId === "" ? null : requireClientId(projectClientId);
      const order = isOldestFirst ? oldestFirst : newestFirst;
      const { items, nextCursor } = await files.list(clientId, states, { limit, cursor }, order);
      return {
        fileObjects: items.map((file) => ({
          ...fileObjectMessage(file),
          status: file.state === "deleted" ? "deleted" : publicStatus(file.state),
          contentType: file.contentType,
          ...optionalTimestamp("uploadedAt", file.uploadedAt),
        })),
        nextCursor,
      };
    },
    deleteFileObject: async ({ fileObjectId }) => {
      const file = await files.delete(fileObjectId);
      if (file === null) throw fileObjectNotFound();
      await compensations.pay(file.projectClientId, file.id).catch((error: unknown) => {
        logger.warn(
          { err: error, resource_id: file.id },
          "the bytes of a deleted File Object could not be removed yet; the worker tries again",
        );
      });
      return { fileObject: fileObjectMessage(file) };
    },
    listPublicAssets: async ({ projectClientId, limit, cursor }) => {
      const { items, nextCursor } = await publicAssets.list(requireClientId(projectClientId), { limit, cursor });
      return { publicAssets: items.map((asset) => assetMessage(publicBaseUrl, asset)), nextCursor };
    },
    takeDownPublicAsset: async ({ publicAssetId, projectClientId }) => {
      const clientId = projectClientId === "" ? null : requireClientId(projectClientId);
      const asset = await publicAssets.takeDown(publicAssetId, clientId);
      if (asset === null) throw new ServiceError("public_asset_not_found", "No such Public Asset.");
      // If the bytes of a version cannot be deleted, the sweep of orphan blobs removes them later.
      for (const { sha256 } of asset.versions) {
        await blobs.delete(publicAssetBlobKey(sha256, asset.id), null).catch((error: unknown) => {
          logger.warn(
            { err: error, resource_id: asset.id },
            "the bytes of a Public Asset could not be removed yet; the worker tries again",
          );
        });
      }
      return { publicAsset: assetMessage(publicBaseUrl, asset) };
    },
  };
  return implementForOperators(FileObjectAdminService, implementation);
}

/** Shows an operator the record of a File Object, even if it is deleted. It never shows the bytes. */
export function getFileObject(files: FileObjectStore): Implementation<typeof FilesAdminService>["getFileObject"] {
  return async ({ projectClientId, fileObjectId }) => {
    const file = await files.findForOperator(fileObjectId);
    const isOther = projectClientId !== "" && file?.projectClientId !== projectClientId;
    if (file === null || isOther) throw fileObjectNotFound();
    return fileObjectMessage(file);
  };
}

function fileObjectNotFound(): ServiceError {
  return new ServiceError("file_object_not_found", "No such File Object.");
}

/** Encodes a File Object for operators. */
function fileObjectMessage(file: FileObject) {
  return {
    id: file.id,
    projectClientId: file.projectClientId,
    state: file.state,
    rejectionReason: file.rejectionReason ?? "",
    sizeBytes: BigInt(file.sizeBytes ?? 0),
    chargedBytes: BigInt(file.chargedBytes),
    malwareScan: file.malwareScan?.result ?? "",
    createdAt: timestampFromDate(file.createdAt),
    ...optionalTimestamp("deletedAt", file.deletedAt),
  };
}

function assetMessage(publicBaseUrl: string, asset: ListedAsset) {
  return {
    id: asset.id,
    projectClientId: asset.projectClientId,
    fileObjectId: asset.fileObjectId,
    imagePresetId: asset.imagePresetId,
    versions: asset.versions.map((version) => ({
      version: version.version,
      url: publicAssetUrl(publicBaseUrl, asset.id, version),
      sha256: version.sha256,
      sizeBytes: BigInt(version.size_bytes),
      createdAt: timestampFromDate(version.created_at),
    })),
    ...optionalTimestamp("takenDownAt", asset.takenDownAt),
  };
}

function requireClientId(id: string): string {
  if (!isUuid(id)) throw invalidRequest("/project_client_id", "must be the UUID of a Project Client");
  return id.toLowerCase();
}
