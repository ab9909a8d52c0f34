import type { DescMethod } from "@bufbuild/protobuf";
import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ProjectAuditAdminService, ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { FileObjectAdminService } from "@platform/proto/files/v1/file_object_admin";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { MigrationAdminService } from "@platform/proto/identity/v1/migration_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { EndpointAdminService } from "@platform/proto/notify/v1/endpoint_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";

/** The screens in the order of the navigation, each with the RPC that whoever opens it must be allowed to call. */
export const navigation: readonly { readonly path: string; readonly title: string; readonly method: DescMethod }[] = [
  { path: "/", title: "Overview", method: ProjectClientAdminService.method.listProjectClients },
  { path: "/clients", title: "Clients", method: ProjectClientAdminService.method.listProjectClients },
  { path: "/activity", title: "Activity", method: DeliveryAdminService.method.listDeliveries },
  { path: "/endpoints", title: "Endpoints", method: EndpointAdminService.method.listEndpoints },
  { path: "/profiles", title: "Profiles", method: NotifyAdminService.method.listSenderProfiles },
  { path: "/templates", title: "Templates", method: NotifyAdminService.method.showCatalog },
  { path: "/events", title: "Events", method: SubscriptionAdminService.method.listSubscriptions },
  { path: "/schedules", title: "Schedules", method: ScheduledOperationAdminService.method.listScheduledOperations },
  { path: "/audits", title: "Audits", method: ProjectAuditAdminService.method.listProjectAudits },
  { path: "/files", title: "Files", method: FileObjectAdminService.method.listFileObjects },
  { path: "/migrations", title: "Migrations", method: MigrationAdminService.method.listMigrations },
  { path: "/erasures", title: "Erasures", method: ErasureAdminService.method.listErasures },
  { path: "/campaigns", title: "Campaigns", method: CampaignAdminService.method.listCampaigns },
  { path: "/operators", title: "Operators", method: OperatorActionAdminService.method.listOperatorActions },
];
