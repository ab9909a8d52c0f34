import { implementForOperators } from "@platform/kit/rpc/server";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { EndpointAdminService } from "@platform/proto/notify/v1/endpoint_admin";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import type { RpcDeps } from "../rpc-deps.ts";
import { listDeliveries, retryDeliveries } from "./deliveries.ts";
import { findEndpoints, getEndpoint, listEndpoints, restoreConsent, revokeEndpoint } from "./endpoints.ts";
import {
  disableSenderProfile,
  enableSenderProfile,
  showSenderProfile,
  testSenderProfile,
  updateSenderProfile,
} from "./sender-profiles.ts";

/** The operator services of notify-svc. */
export function adminServices(deps: RpcDeps) {
  return [
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
  ];
}
