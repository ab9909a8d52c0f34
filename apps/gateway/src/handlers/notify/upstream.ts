import type { GrpcConnection } from "@platform/service-kit/grpc/connect";

/** The gRPC services of notify-svc that the gateway calls. */
export function connectNotify(_connection: GrpcConnection) {
  return {};
}
