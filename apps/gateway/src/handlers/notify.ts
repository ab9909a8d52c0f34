import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { HandlersFor } from "../handler.ts";
import { createChannelNotificationIntent } from "./notify/create-channel-notification-intent.ts";
import { createNotificationIntent } from "./notify/create-notification-intent.ts";
import { getDeliveryEndpoint } from "./notify/get-delivery-endpoint.ts";
import { getNotificationDelivery } from "./notify/get-notification-delivery.ts";
import { registerDeliveryEndpoint } from "./notify/register-delivery-endpoint.ts";
import { registerEmailDeliveryEndpoint } from "./notify/register-email-delivery-endpoint.ts";
import { revokeDeliveryEndpoint } from "./notify/revoke-delivery-endpoint.ts";
import { setDeliveryConsent } from "./notify/set-delivery-consent.ts";
import { validateNotificationCatalog } from "./notify/validate-notification-catalog.ts";
import { verifyDeliveryEndpoint } from "./notify/verify-delivery-endpoint.ts";
import { verifyEmailDeliveryEndpoint } from "./notify/verify-email-delivery-endpoint.ts";

/** The handlers of the operations of notify-svc. */
export const notifyHandlers = {
  "notify.validateNotificationCatalog": validateNotificationCatalog,
  "notify.registerEmailDeliveryEndpoint": registerEmailDeliveryEndpoint,
  "notify.verifyEmailDeliveryEndpoint": verifyEmailDeliveryEndpoint,
  "notify.createNotificationIntent": createNotificationIntent,
  "notify.createChannelNotificationIntent": createChannelNotificationIntent,
  "notify.registerDeliveryEndpoint": registerDeliveryEndpoint,
  "notify.verifyDeliveryEndpoint": verifyDeliveryEndpoint,
  "notify.getDeliveryEndpoint": getDeliveryEndpoint,
  "notify.revokeDeliveryEndpoint": revokeDeliveryEndpoint,
  "notify.setDeliveryConsent": setDeliveryConsent,
  "notify.getNotificationDelivery": getNotificationDelivery,
} satisfies HandlersFor<typeof notifyOperations>;
