import { implement, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { retentionAdmin } from "@platform/operator-plane/retention";
import { usageAdmin } from "@platform/operator-plane/usage/store";
import { CapturedMessageAdminService } from "@platform/proto/notify/v1/captured_message_admin";
import { CatalogAdminService } from "@platform/proto/notify/v1/catalog_admin";
import { CatalogService } from "@platform/proto/notify/v1/catalog_service";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { EndpointAdminService } from "@platform/proto/notify/v1/endpoint_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { DeliveryEndpointsService, NotificationsService } from "@platform/proto/notify/v1/notify_service";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import { SuppressionAdminService } from "@platform/proto/notify/v1/suppression_admin";
import { listCapturedMessages, showCapturedMessage } from "./admin/captured-messages.ts";
import { listCatalogProblems, listCatalogVersions, previewCatalog, rollBackCatalog } from "./admin/catalog-versions.ts";
import { applyCatalog, showCatalog } from "./admin/catalogs.ts";
import { listDeliveries, retryDeliveries, retryDelivery, showDelivery } from "./admin/deliveries.ts";
import {
  findEndpoints,
  getEndpoint,
  linkLineEndpoint,
  listEndpoints,
  restoreConsent,
  revokeEndpoint,
} from "./admin/endpoints.ts";
import {
  createSenderProfile,
  disableSenderProfile,
  enableSenderProfile,
  listSenderProfiles,
  showSenderProfile,
  testSenderProfile,
  updateSenderProfile,
} from "./admin/sender-profiles.ts";
import { liftSuppression, listSuppressions } from "./admin/suppressions.ts";
import { createChannelNotificationIntent } from "./create-channel-notification-intent.ts";
import { createNotificationIntent } from "./create-notification-intent.ts";
import { getDeliveryEndpoint } from "./get-delivery-endpoint.ts";
import { getNotificationDelivery } from "./get-notification-delivery.ts";
import { recordValidatedCatalog } from "./record-validated-catalog.ts";
import { registerDeliveryEndpoint } from "./register-delivery-endpoint.ts";
import { registerEmailDeliveryEndpoint } from "./register-email-delivery-endpoint.ts";
import { revokeDeliveryEndpoint } from "./revoke-delivery-endpoint.ts";
import type { RpcDeps } from "./rpc-deps.ts";
import { setDeliveryConsent } from "./set-delivery-consent.ts";
import { verifyDeliveryEndpoint } from "./verify-delivery-endpoint.ts";
import { verifyEmailDeliveryEndpoint } from "./verify-email-delivery-endpoint.ts";

/** Every gRPC service of notify-svc. */
export function notifyServices(deps: RpcDeps): ServedService[] {
  return [
    implement(DeliveryEndpointsService, {
      registerEmailDeliveryEndpoint: registerEmailDeliveryEndpoint(deps),
      verifyEmailDeliveryEndpoint: verifyEmailDeliveryEndpoint(deps),
      registerDeliveryEndpoint: registerDeliveryEndpoint(deps),
      verifyDeliveryEndpoint: verifyDeliveryEndpoint(deps),
      getDeliveryEndpoint: getDeliveryEndpoint(deps),
      revokeDeliveryEndpoint: revokeDeliveryEndpoint(deps),
      setDeliveryConsent: setDeliveryConsent(deps),
    }),
    implement(NotificationsService, {
      createNotificationIntent: createNotificationIntent(deps),
      createChannelNotificationIntent: createChannelNotificationIntent(deps),
      getNotificationDelivery: getNotificationDelivery(deps),
    }),
    implement(CatalogService, { recordValidatedCatalog: recordValidatedCatalog(deps) }),
    implementForOperators(CapturedMessageAdminService, {
      listCapturedMessages: listCapturedMessages(deps),
      showCapturedMessage: showCapturedMessage(deps),
    }),
    implementForOperators(CatalogAdminService, {
      previewCatalog: previewCatalog(deps),
      listCatalogProblems: listCatalogProblems(deps),
      listCatalogVersions: listCatalogVersions(deps),
      rollBackCatalog: rollBackCatalog(deps),
    }),
    implementForOperators(NotifyAdminService, {
      createSenderProfile: createSenderProfile(deps),
      listSenderProfiles: listSenderProfiles(deps),
      applyCatalog: applyCatalog(deps),
      showCatalog: showCatalog(deps),
      linkLineEndpoint: linkLineEndpoint(deps),
      showDelivery: showDelivery(deps),
      retryDelivery: retryDelivery(deps),
    }),
    implementForOperators(DeliveryAdminService, {
      listDeliveries: listDeliveries(deps),
      retryDeliveries: retryDeliveries(deps),
    }),
    implementForOperators(EndpointAdminService, {
      listEndpoints: listEndpoints(deps),
      findEndpoints: findEndpoints(deps),
      getEndpoint: getEndpoint(deps),
      revokeEndpoint: revokeEndpoint(deps),
      restoreConsent: restoreConsent(deps),
    }),
    implementForOperators(SenderProfileAdminService, {
      showSenderProfile: showSenderProfile(deps),
      updateSenderProfile: updateSenderProfile(deps),
      disableSenderProfile: disableSenderProfile(deps),
      enableSenderProfile: enableSenderProfile(deps),
      testSenderProfile: testSenderProfile(deps),
    }),
    implementForOperators(SuppressionAdminService, {
      listSuppressions: listSuppressions(deps),
      liftSuppression: liftSuppression(deps),
    }),
    retentionAdmin(deps.stores.retention),
    usageAdmin(deps.stores.usage, deps.clock),
  ];
}
