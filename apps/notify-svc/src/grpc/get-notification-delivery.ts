import type { GetNotificationDeliveryRequest } from "@platform/proto/notify/v1/notify_service";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import { defined } from "@platform/service-kit/fields/defined";
import { requireProjectClient, type ServerCall } from "@platform/service-kit/grpc/serve";
import type { RpcDeps } from "./rpc-deps.ts";

/** Reads a delivery of an intent. */
export const getNotificationDelivery =
  ({ stores }: RpcDeps) =>
  async (request: GetNotificationDeliveryRequest, call: ServerCall) => {
    const delivery = await stores.deliveries.find(requireProjectClient(call).id, request.deliveryId);
    if (delivery === null) {
      throw new ServiceError("notification_delivery_not_found", "No such delivery in this Project Client.");
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
