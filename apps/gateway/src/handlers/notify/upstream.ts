import type { GrpcConnection } from "@platform/kit/rpc/client";
import { CatalogService } from "@platform/proto/notify/v1/catalog_service";
import { DeliveryEndpointsService, NotificationsService } from "@platform/proto/notify/v1/notify_service";

/** Creates clients for the gRPC services of notify-svc that the gateway calls. */
export function connectNotify(connection: GrpcConnection) {
  return {
    catalogs: connection.service(CatalogService),
    endpoints: connection.service(DeliveryEndpointsService),
    notifications: connection.service(NotificationsService),
  };
}
