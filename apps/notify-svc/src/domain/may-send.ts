import type { Delivery } from "./delivery.ts";
import type { DeliveryEndpoint } from "./endpoint.ts";
import { takesMarketing } from "./suppression.ts";

/**
 * Checks, just before sending, whether a delivery may still be sent.
 * @returns the error code that it fails with, or null if it may be sent
 */
export function reasonNotToSend(delivery: Delivery, endpoint: DeliveryEndpoint | null, now: Date): string | null {
  if (endpoint === null) return "delivery_endpoint_not_found";
  const isOfEarlierHolder = delivery.ownershipGeneration !== endpoint.ownershipGeneration;
  if (isOfEarlierHolder || endpoint.status === "revoked") return "delivery_endpoint_revoked";
  if (delivery.kind === "verification") {
    const isCurrent =
      endpoint.status === "pending" && endpoint.verification?.generation === delivery.verificationGeneration;
    return isCurrent ? null : "verification_superseded";
  }
  if (endpoint.status !== "verified") return "delivery_endpoint_not_verified";
  if (delivery.purpose !== null) {
    const isGranted =
      delivery.channel === "email"
        ? takesMarketing(endpoint, delivery.purpose)
        : endpoint.grantedPurposes.includes(delivery.purpose);
    if (!isGranted) return "consent_withdrawn";
  }
  if (now > delivery.giveUpAt) return delivery.lastErrorCode ?? "delivery_expired";
  return null;
}
