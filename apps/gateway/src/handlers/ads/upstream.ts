import type { GrpcConnection } from "@platform/kit/rpc/client";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";

/** Creates clients for the gRPC services of ads-svc that the gateway calls. */
export function connectAds(connection: GrpcConnection) {
  return { impressions: connection.service(ImpressionService) };
}
