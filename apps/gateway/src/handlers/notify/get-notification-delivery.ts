import type { DataOf } from "@platform/contracts/operation";
import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";

type DeliveryData = DataOf<(typeof notifyOperations)["notify.getNotificationDelivery"]>;

export const getNotificationDelivery: Handler<(typeof notifyOperations)["notify.getNotificationDelivery"]> = async (
  { params, call },
  upstreams,
) => {
  const { delivery } = await upstreams.notify.notifications.getNotificationDelivery(
    { deliveryId: params.deliveryId },
    { ...call, retryUnavailable: true },
  );
  if (delivery === undefined) throw new Error("notify-svc answered without a delivery");
  return {
    data: {
      id: delivery.id,
      channel: delivery.channel as DeliveryData["channel"],
      status: delivery.status as DeliveryData["status"],
      attempts: delivery.attempts,
      provider_status: delivery.providerStatus ?? null,
      last_error_code: delivery.lastErrorCode ?? null,
    },
  };
};
