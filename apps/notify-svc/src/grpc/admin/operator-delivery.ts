import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import { addressHint } from "../../domain/address.ts";
import type { Delivery } from "../../domain/delivery.ts";

export function deliveryNotFound(): ServiceError {
  return new ServiceError("notification_delivery_not_found", "No such delivery.");
}

/**
 * A delivery for operators: attempts and masked address, without the message.
 * @param address of its endpoint; null when that is gone
 */
export function encodeOperatorDelivery(delivery: Delivery, address: string | null, isRevealed = false) {
  return {
    addressHint: address === null ? "" : addressHint(delivery.channel, address),
    ...(isRevealed && address !== null ? { address } : {}),
    ...defined({ templateKey: delivery.templateKey }),
    id: delivery.id,
    projectClientId: delivery.projectClientId,
    intentId: delivery.intentId,
    channel: delivery.channel,
    endpointId: delivery.endpointId,
    senderProfileId: delivery.senderProfileId,
    status: delivery.status,
    attempts: delivery.attempts,
    ...defined({ providerStatus: delivery.providerStatus, lastErrorCode: delivery.lastErrorCode }),
    createdAt: timestampFromDate(delivery.createdAt),
    ...optionalTimestamp("dueAt", delivery.status === "pending" ? delivery.dueAt : null),
    ...optionalTimestamp("finishedAt", delivery.finishedAt),
    attemptLog: delivery.attemptLog.map((attempt) => ({
      attempt: attempt.attempt,
      at: timestampFromDate(attempt.at),
      providerStatus: attempt.providerStatus,
      ...defined({ errorCode: attempt.errorCode }),
      durationMs: attempt.durationMs,
    })),
  };
}
