import type { DataOf } from "@platform/contracts/operation";
import type { notifyOperations } from "@platform/contracts/operations/notify";
import { timeOrNull } from "@platform/kit/rpc/client";
import type { DeliveryEndpoint } from "@platform/proto/notify/v1/notify_service";

type EndpointData = DataOf<(typeof notifyOperations)["notify.getDeliveryEndpoint"]>;

/** Converts a channel endpoint to its form in the public API. */
export function deliveryEndpointData(endpoint: DeliveryEndpoint | undefined): EndpointData {
  if (endpoint === undefined) throw new Error("notify-svc answered without an endpoint");
  return {
    id: endpoint.id,
    channel: endpoint.channel as EndpointData["channel"],
    status: endpoint.status as EndpointData["status"],
    verified_at: timeOrNull(endpoint.verifiedAt),
    consents: endpoint.consents.map(({ purpose, granted }) => ({ purpose, granted })),
  };
}
