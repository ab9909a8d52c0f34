import { callerGuard, implement, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { type RetentionStore, retentionAdmin } from "@platform/operator-plane/retention";
import { FileAttachmentService } from "@platform/proto/files/v1/file_attachment";
import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { FilesService, QuotaLevelService } from "@platform/proto/files/v1/files_service";
import type { MalwareScanner } from "../content/clamd.ts";
import type { PublishImage } from "../content/publish-image.ts";
import type { DownloadGrantStore } from "../store/download-grants.ts";
import type { ImagePresetStore } from "../store/image-presets.ts";
import { type FileObjectAdminDependencies, fileObjectAdmin, getFileObject } from "./admin/file-objects.ts";
import { imagePresetRpcs } from "./admin/image-presets.ts";
import { completeFileObject } from "./complete-file-object.ts";
import { createDownloadGrant } from "./create-download-grant.ts";
import { createPublicAsset } from "./create-public-asset.ts";
import { createUploadGrant } from "./create-upload-grant.ts";
import { fileAttachments } from "./file-attachments.ts";
import { getMalwareScanner } from "./get-malware-scanner.ts";
import { getQuotaLevel } from "./get-quota-level.ts";

type Dependencies = FileObjectAdminDependencies & {
  readonly downloadGrants: DownloadGrantStore;
  readonly retention: RetentionStore;
  readonly imagePresets: ImagePresetStore;
  readonly scanner: MalwareScanner | null;
  readonly publishImage: PublishImage;
  /** Wakes the workers, which classify uploaded files. */
  readonly announceQuarantined: () => void;
};

/** Every gRPC service of files-svc. */
export function filesServices(dependencies: Dependencies): ServedService[] {
  const { files, downloadGrants, imagePresets, publicBaseUrl } = dependencies;
  return [
    implement(FilesService, {
      createUploadGrant: createUploadGrant(files),
      completeFileObject: completeFileObject(files, dependencies.announceQuarantined),
      createDownloadGrant: createDownloadGrant(files, downloadGrants, publicBaseUrl),
      createPublicAsset: createPublicAsset(dependencies),
      getMalwareScanner: getMalwareScanner(dependencies.scanner),
    }),
    implement(FileAttachmentService, fileAttachments(files, dependencies.blobs), callerGuard("notify-svc")),
    implementForOperators(QuotaLevelService, { getQuotaLevel: getQuotaLevel(files) }, { gateway: true }),
    implementForOperators(FilesAdminService, {
      ...imagePresetRpcs(imagePresets),
      getFileObject: getFileObject(files),
    }),
    fileObjectAdmin(dependencies),
    retentionAdmin(dependencies.retention),
  ];
}
