import type { GrpcConnection } from "@platform/kit/rpc/client";
import { FilesService, QuotaLevelService } from "@platform/proto/files/v1/files_service";

/** Creates clients for the gRPC services of files-svc that the gateway calls. */
export function connectFiles(connection: GrpcConnection) {
  return {
    fileObjects: connection.service(FilesService),
    quotaLevels: connection.service(QuotaLevelService),
  };
}
