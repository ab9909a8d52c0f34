import type { GrpcConnection } from "@platform/service-kit/grpc/connect";

/** The gRPC services of files-svc that the gateway calls. */
export function connectFiles(_connection: GrpcConnection) {
  return {};
}
