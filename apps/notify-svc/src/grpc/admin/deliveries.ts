import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { isUuid } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type {
  ListDeliveriesRequest,
  RetryDeliveriesRequest,
  DeliveryFilter as WireFilter,
} from "@platform/proto/notify/v1/delivery_admin";
import type { RetryDeliveryRequest, ShowDeliveryRequest } from "@platform/proto/notify/v1/notify_admin";
import { addressHint } from "../../domain/address.ts";
import { type Channel, isChannel } from "../../domain/channel.ts";
import { type Delivery, type DeliveryStatus, deliveryStatuses } from "../../domain/delivery.ts";
import type { DeliveryFilter } from "../../store/delivery-search.ts";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { requireClientId } from "./require-client-id.ts";

/** Lists a page of the deliveries of one client, or of all clients if the filter names none, newest first. */
export const listDeliveries =
  ({ stores }: RpcDeps) =>
  async ({ filter, limit, cursor, reveal }: ListDeliveriesRequest) => {
    const { items, nextCursor } = await stores.deliverySearch.list(readFilter(filter), { limit, cursor });
    const addresses = await addressesOf(stores, items);
    return {
      deliveries: items.map((delivery) => ({
        ...encode(delivery, addresses.get(delivery.endpointId) ?? null, reveal),
        attemptLog: [],
      })),
      nextCursor,
    };
  };

/** Shows a delivery of any Project Client. */
export const showDelivery =
  ({ stores }: RpcDeps) =>
  async (request: ShowDeliveryRequest) => {
    const delivery = await stores.deliveries.findForOperator(request.deliveryId);
    if (delivery === null) throw deliveryNotFound();
    const address = (await addressesOf(stores, [delivery])).get(delivery.endpointId) ?? null;
    return { delivery: encode(delivery, address, request.reveal) };
  };

/** Puts a failed delivery back into the queue. Consent and endpoint are checked again before it is sent. */
export const retryDelivery =
  ({ stores, clock }: RpcDeps) =>
  async (request: RetryDeliveryRequest) => {
    const requeued = await stores.deliveries.requeueFailed(request.deliveryId, clock());
    if (requeued !== null) {
      const address = (await addressesOf(stores, [requeued])).get(requeued.endpointId) ?? null;
      return { delivery: encode(requeued, address) };
    }
    const delivery = await stores.deliveries.findForOperator(request.deliveryId);
    if (delivery === null) throw deliveryNotFound();
    throw contractViolation(
      "/delivery_id",
      "invalid_state",
      delivery.status === "failed"
        ? "its content is not kept any more; have the project send the notification again"
        : `only failed deliveries can be retried; it is ${delivery.status}`,
    );
  };

/** Puts a batch of failed deliveries back into the queue, or only counts it. */
export const retryDeliveries =
  ({ stores, clock }: RpcDeps) =>
  async ({ filter, dryRun, limit, cursor }: RetryDeliveriesRequest) => {
    // A mistyped id must never make the platform retry the failed deliveries of all clients.
    const wanted = { ...readFilter(filter), projectClientId: requireClientId(filter?.projectClientId ?? "") };
    if (wanted.status !== "failed") {
      throw contractViolation("/filter/status", "invalid_value", "only failed deliveries can be sent again: failed");
    }
    if (wanted.span.since === null) throw contractViolation("/filter/since", "required", "from when");
    return stores.deliverySearch.retryBatch(wanted, { limit, cursor }, { isDryRun: dryRun, now: clock() });
  };

/** The addresses by endpoint id. An address is left out if the endpoint has changed its owner since the delivery. */
async function addressesOf(
  stores: RpcDeps["stores"],
  deliveries: readonly Pick<Delivery, "endpointId">[],
): Promise<Map<string, string>> {
  const endpoints = await stores.endpoints.findMany([...new Set(deliveries.map(({ endpointId }) => endpointId))]);
  return new Map([...endpoints].map(([id, { address }]) => [id, address]));
}

function readFilter(wire: WireFilter | undefined): DeliveryFilter {
  const given = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);
  const clientId = given(wire?.projectClientId);
  const endpointId = given(wire?.endpointId);
  if (endpointId !== null && !isUuid(endpointId)) {
    throw contractViolation("/filter/endpoint_id", "invalid_format", "must be the UUID of a Delivery Endpoint");
  }
  return {
    projectClientId: clientId === null ? null : requireClientId(clientId),
    channel: readChannel(given(wire?.channel)),
    status: readStatus(given(wire?.status)),
    errorCode: given(wire?.errorCode),
    templateKey: given(wire?.templateKey),
    endpointId: endpointId?.toLowerCase() ?? null,
    span: {
      since: wire?.since === undefined ? null : timestampDate(wire.since),
      until: wire?.until === undefined ? null : timestampDate(wire.until),
    },
  };
}

/** Reads the channel of a filter. Throws if the name is unknown. */
export function readChannel(name: string | null): Channel | null {
  if (name === null || isChannel(name)) return name;
  throw contractViolation("/channel", "invalid_value", "must be email, fcm, apns, line or web_push");
}

function readStatus(name: string | null): DeliveryStatus | null {
  const status = deliveryStatuses.find((each) => each === name);
  if (name !== null && status === undefined) {
    throw contractViolation("/status", "invalid_value", `must be ${deliveryStatuses.join(", ")}`);
  }
  return status ?? null;
}

function deliveryNotFound(): ServiceError {
  return new ServiceError("notification_delivery_not_found", "No such delivery.");
}

/**
 * Encodes a delivery for operators, with its attempts and the masked address, but without the message.
 * @param address of its endpoint; null if it no longer exists
 */
function encode(delivery: Delivery, address: string | null, isRevealed = false) {
  return {
    addressHint: address === null ? "" : addressHint(delivery.channel, address),
    ...defined({ address: isRevealed ? address : null, templateKey: delivery.templateKey }),
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
