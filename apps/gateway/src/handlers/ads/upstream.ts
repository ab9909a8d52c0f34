import type { GrpcConnection } from "@platform/service-kit/grpc/connect";

/** The gRPC services of ads-svc that the gateway calls. */
export function connectAds(_connection: GrpcConnection) {
  return {};
}
