import { DeliveryEndpointsService, NotificationsService } from "@platform/proto/notify/v1/notify_service";
import type { GrpcConnection } from "@platform/service-kit/grpc/connect";

/** The gRPC services of notify-svc that the gateway calls. */
export function connectNotify(connection: GrpcConnection) {
  return {
    endpoints: connection.service(DeliveryEndpointsService),
    notifications: connection.service(NotificationsService),
  };
}
