import { readPushSubscription } from "./address.ts";
import { bulkheadOf } from "./delivery.ts";
import type { DeliveryEndpoint } from "./endpoint.ts";

/** Returns the bulkhead of a message to this endpoint; see `bulkheadOf`. */
export function bulkheadTo(endpoint: DeliveryEndpoint, senderProfileId: string): string {
  return bulkheadOf(endpoint.channel, endpoint.projectClientId, senderProfileId, originOf(endpoint));
}

/** Origin of the push service that an endpoint belongs to; null for channels whose provider belongs to the profile. */
function originOf(endpoint: DeliveryEndpoint): string | null {
  if (endpoint.channel !== "web_push") return null;
  const subscription = readPushSubscription(endpoint.address);
  return "problem" in subscription ? null : new URL(subscription.endpoint).origin;
}
