import { defined } from "@platform/kit/process/fields";
import { ServiceError } from "@platform/kit/rpc/errors";
import { requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import type { GetNotificationDeliveryRequest } from "@platform/proto/notify/v1/notify_service";
import type { RpcDeps } from "./rpc-deps.ts";

/** Reads a delivery of an intent. */
export const getNotificationDelivery =
  ({ stores }: RpcDeps) =>
  async (request: GetNotificationDeliveryRequest, call: ServerCall) => {
    const delivery = await stores.deliveries.find(requireProjectClient(call).id, request.deliveryId);
    if (delivery === null) {
      throw new ServiceError("notification_delivery_not_found", "This Project Client has no delivery with this id.");
    }
    return {
      delivery: {
        id: delivery.id,
        channel: delivery.channel,
        status: delivery.status,
        attempts: delivery.attempts,
        ...defined({ providerStatus: delivery.providerStatus, lastErrorCode: delivery.lastErrorCode }),
      },
    };
  };
