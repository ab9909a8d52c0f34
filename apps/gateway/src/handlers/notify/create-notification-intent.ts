import type { notifyOperations } from "@platform/contracts/operations/notify";
import { defined } from "@platform/kit/process/fields";
import type { Handler } from "../../handler.ts";
import { notificationIntentData } from "./notification-intent-data.ts";

export const createNotificationIntent: Handler<(typeof notifyOperations)["notify.createNotificationIntent"]> = async (
  { body, call },
  upstreams,
) => {
  const { intent, replayed } = await upstreams.notify.notifications.createNotificationIntent(
    {
      senderProfileId: body.sender_profile_id,
      templateKey: body.template_key,
      locale: body.locale,
      endpointId: body.endpoint_id,
      variablesJson: JSON.stringify(body.variables),
      ...defined({ marketingPurpose: body.marketing_purpose }),
    },
    { ...call, retryUnavailable: true },
  );
  return { data: notificationIntentData(intent), replayed };
};
