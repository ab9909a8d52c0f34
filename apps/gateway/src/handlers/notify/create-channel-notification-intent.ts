import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";
import { notificationIntentData } from "./notification-intent-data.ts";

export const createChannelNotificationIntent: Handler<
  (typeof notifyOperations)["notify.createChannelNotificationIntent"]
> = async ({ body, call }, upstreams) => {
  const { intent, replayed } = await upstreams.notify.notifications.createChannelNotificationIntent(
    {
      senderProfileId: body.sender_profile_id,
      templateKey: body.template_key,
      locale: body.locale,
      endpointId: body.endpoint_id,
      variablesJson: JSON.stringify(body.variables),
      purpose: body.purpose,
    },
    { ...call, retryUnavailable: true },
  );
  return { data: notificationIntentData(intent), replayed };
};
