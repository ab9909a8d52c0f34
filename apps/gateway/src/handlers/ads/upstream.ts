import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import type { GrpcConnection } from "@platform/service-kit/grpc/connect";

/** The gRPC services of ads-svc that the gateway calls. */
export function connectAds(connection: GrpcConnection) {
  return { impressions: connection.service(ImpressionService) };
}
