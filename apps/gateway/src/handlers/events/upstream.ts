import type { GrpcConnection } from "@platform/service-kit/grpc/connect";

/** The gRPC services of events-svc that the gateway calls. */
export function connectEvents(_connection: GrpcConnection) {
  return {};
}
