import type { DataOf } from "@platform/contracts/operation";
import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { NotificationIntent } from "@platform/proto/notify/v1/notify_service";

type IntentData = DataOf<(typeof notifyOperations)["notify.createNotificationIntent"]>;

/** Converts an accepted intent to its form in the public API. */
export function notificationIntentData(intent: NotificationIntent | undefined): IntentData {
  if (intent === undefined) throw new Error("notify-svc answered without an intent");
  return {
    intent_id: intent.intentId,
    delivery_id: intent.deliveryId,
    status: intent.status as IntentData["status"],
  };
}
