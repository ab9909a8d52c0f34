import { timestampDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import type {
  ListDeliveriesRequest,
  RetryDeliveriesRequest,
  DeliveryFilter as WireFilter,
} from "@platform/proto/notify/v1/delivery_admin";
import { type Channel, isChannel } from "../../domain/channel.ts";
import { type Delivery, type DeliveryStatus, deliveryStatuses } from "../../domain/delivery.ts";
import type { DeliveryFilter } from "../../store/delivery-search.ts";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { encodeOperatorDelivery } from "./operator-delivery.ts";
import { requireClientId } from "./require-client-id.ts";

/** A page of deliveries, newest first. */
export const listDeliveries =
  ({ stores }: RpcDeps) =>
  async ({ filter, limit, cursor, reveal }: ListDeliveriesRequest) => {
    const { items, nextCursor } = await stores.deliverySearch.list(readFilter(filter), { limit, cursor });
    const addresses = await addressesOf(stores, items);
    return {
      deliveries: items.map((delivery) => ({
        ...encodeOperatorDelivery(delivery, addresses.get(delivery.endpointId) ?? null, reveal),
        attemptLog: [],
      })),
      nextCursor,
    };
  };

/** Puts a batch of failed deliveries back into the queue, or counts it. */
export const retryDeliveries =
  ({ stores, clock }: RpcDeps) =>
  async ({ filter, dryRun, limit, cursor }: RetryDeliveriesRequest) => {
    const wanted = readFilter(filter);
    if (wanted.status !== "failed") {
      throw contractViolation("/filter/status", "invalid_value", "only failed deliveries can be sent again: failed");
    }
    if (wanted.span.since === null) throw contractViolation("/filter/since", "required", "from when");
    return stores.deliverySearch.retryBatch(wanted, { limit, cursor }, { isDryRun: dryRun, now: clock() });
  };

/** Addresses by endpoint id; those of another ownership than the delivery's are left out. */
export async function addressesOf(
  stores: RpcDeps["stores"],
  deliveries: readonly Pick<Delivery, "endpointId">[],
): Promise<Map<string, string>> {
  const endpoints = await stores.endpoints.findMany([...new Set(deliveries.map(({ endpointId }) => endpointId))]);
  return new Map([...endpoints].map(([id, { address }]) => [id, address]));
}

function readFilter(wire: WireFilter | undefined): DeliveryFilter {
  const given = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);
  const endpointId = given(wire?.endpointId);
  if (endpointId !== null && !isUuid(endpointId)) {
    throw contractViolation("/filter/endpoint_id", "invalid_format", "must be the UUID of a Delivery Endpoint");
  }
  return {
    projectClientId: requireClientId(wire?.projectClientId ?? ""),
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

/** A channel to filter by. Throws for a name that is none. */
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
