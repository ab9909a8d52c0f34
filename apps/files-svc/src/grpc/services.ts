import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { FilesService, QuotaLevelService } from "@platform/proto/files/v1/files_service";
import { gatewayOrOperatorGuard, operatorGuard } from "@platform/service-kit/grpc/operator-guard";
import { implement, type ServedService } from "@platform/service-kit/grpc/serve";
import type { MalwareScanner } from "../content/clamd.ts";
import type { PublishImage } from "../content/publish-image.ts";
import type { DownloadGrantStore } from "../store/download-grants.ts";
import type { FileObjectStore } from "../store/file-objects.ts";
import type { ImagePresetStore } from "../store/image-presets.ts";
import type { PublicAssetStore } from "../store/public-assets.ts";
import { createImagePreset } from "./admin/create-image-preset.ts";
import { getFileObject } from "./admin/get-file-object.ts";
import { listImagePresets } from "./admin/list-image-presets.ts";
import { completeFileObject } from "./complete-file-object.ts";
import { createDownloadGrant } from "./create-download-grant.ts";
import { createPublicAsset } from "./create-public-asset.ts";
import { createUploadGrant } from "./create-upload-grant.ts";
import { getMalwareScanner } from "./get-malware-scanner.ts";
import { getQuotaLevel } from "./get-quota-level.ts";

type Dependencies = {
  readonly files: FileObjectStore;
  readonly downloadGrants: DownloadGrantStore;
  readonly imagePresets: ImagePresetStore;
  readonly publicAssets: PublicAssetStore;
  readonly scanner: MalwareScanner | null;
  readonly publishImage: PublishImage;
  readonly publicBaseUrl: string;
  /** Classifies what was uploaded, now. */
  readonly classifyNow: () => void;
};

/** Every gRPC service of files-svc. */
export function filesServices(dependencies: Dependencies, operatorToken: string): ServedService[] {
  const { files, downloadGrants, imagePresets, publicBaseUrl } = dependencies;
  return [
    implement(FilesService, {
      createUploadGrant: createUploadGrant(files),
      completeFileObject: completeFileObject(files, dependencies.classifyNow),
      createDownloadGrant: createDownloadGrant(files, downloadGrants, publicBaseUrl),
      createPublicAsset: createPublicAsset(dependencies),
      getMalwareScanner: getMalwareScanner(dependencies.scanner),
    }),
    implement(QuotaLevelService, { getQuotaLevel: getQuotaLevel(files) }, gatewayOrOperatorGuard(operatorToken)),
    implement(
      FilesAdminService,
      {
        createImagePreset: createImagePreset(imagePresets),
        listImagePresets: listImagePresets(imagePresets),
        getFileObject: getFileObject(files),
      },
      operatorGuard(operatorToken),
    ),
  ];
}
