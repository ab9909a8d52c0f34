import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import type { GrpcConnection } from "@platform/service-kit/grpc/connect";
import { createGuessLimiter } from "./guess-limiter.ts";

/** The gRPC services of ads-svc that the gateway calls, and what keeps token guessers off them. */
export function connectAds(connection: GrpcConnection) {
  return { impressions: connection.service(ImpressionService), guesses: createGuessLimiter() };
}
