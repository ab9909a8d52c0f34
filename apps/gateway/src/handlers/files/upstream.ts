import { FilesService, QuotaLevelService } from "@platform/proto/files/v1/files_service";
import type { GrpcConnection } from "@platform/service-kit/grpc/connect";

/** The gRPC services of files-svc that the gateway calls. */
export function connectFiles(connection: GrpcConnection) {
  return {
    fileObjects: connection.service(FilesService),
    quotaLevels: connection.service(QuotaLevelService),
  };
}
