import type { GrpcConnection } from "@platform/kit/rpc/client";
import { CapturedMessageAdminService } from "@platform/proto/notify/v1/captured_message_admin";
import { CatalogAdminService } from "@platform/proto/notify/v1/catalog_admin";
import { CatalogService } from "@platform/proto/notify/v1/catalog_service";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { EndpointAdminService } from "@platform/proto/notify/v1/endpoint_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { DeliveryEndpointsService, NotificationsService } from "@platform/proto/notify/v1/notify_service";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import { SuppressionAdminService } from "@platform/proto/notify/v1/suppression_admin";
import { RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";

/** The interfaces of notify-svc over one connection. */
export function clientsOf(connection: GrpcConnection) {
  return {
    capturedAdmin: connection.service(CapturedMessageAdminService),
    catalogs: connection.service(CatalogService),
    catalogAdmin: connection.service(CatalogAdminService),
    endpoints: connection.service(DeliveryEndpointsService),
    notifications: connection.service(NotificationsService),
    admin: connection.service(NotifyAdminService),
    deliveryAdmin: connection.service(DeliveryAdminService),
    endpointAdmin: connection.service(EndpointAdminService),
    profileAdmin: connection.service(SenderProfileAdminService),
    suppressionAdmin: connection.service(SuppressionAdminService),
    search: connection.service(RecordSearchAdminService),
  };
}
