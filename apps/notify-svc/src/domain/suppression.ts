import { type DeliveryEndpoint, type EndpointChange, revoke } from "./endpoint.ts";

const unchanged: EndpointChange = { next: null, failure: null };
/** As in `setConsent`: limits the size of the document. */
const purposesMax = 1000;

/**
 * Suppresses a mail address that does not exist: the endpoint is revoked.
 * @param errorCode why, as its last error
 */
export function suppressDead(
  current: DeliveryEndpoint,
  reason: "bounced" | "refused",
  errorCode: string,
  now: Date,
): EndpointChange {
  const { next } = revoke(current, errorCode);
  if (next === null) return unchanged;
  return { next: { ...next, suppression: { reason, since: now, withdrew: current.grantedPurposes } }, failure: null };
}

/**
 * Suppresses marketing emails to a person who reported one as spam: every consent is withdrawn, and a purpose that the person has not granted since
 * then is rejected.
 * @param purpose of the reported email; null if it was not a marketing email
 */
export function suppressMarketing(current: DeliveryEndpoint, purpose: string | null, now: Date): EndpointChange {
  if (current.status === "revoked") return unchanged;
  const named = purpose === null || current.withdrawnPurposes.length >= purposesMax ? [] : [purpose];
  const withdrawnPurposes = [...new Set([...current.withdrawnPurposes, ...current.grantedPurposes, ...named])];
  const isKnown = current.suppression?.reason === "complained";
  if (isKnown && withdrawnPurposes.length === current.withdrawnPurposes.length) return unchanged;
  const since = isKnown && current.suppression !== null ? current.suppression.since : now;
  return {
    next: {
      ...current,
      grantedPurposes: [],
      withdrawnPurposes,
      suppression: { reason: "complained", since, withdrew: [] },
    },
    failure: null,
  };
}

/**
 * Lifts a suppression. An address that was considered dead is verified again, with the consents that were withdrawn
 * together with it. Consents that its owner withdrew by a complaint stay withdrawn.
 */
export function liftSuppression(current: DeliveryEndpoint, now: Date): EndpointChange {
  const { suppression } = current;
  if (suppression === null) return unchanged;
  const lifted = { ...current, suppression: null };
  if (suppression.reason === "complained" || current.status !== "revoked") return { next: lifted, failure: null };
  const isBack = (purpose: string): boolean => suppression.withdrew.includes(purpose);
  return {
    next: {
      ...lifted,
      status: "verified",
      verifiedAt: now,
      lastErrorCode: null,
      grantedPurposes: [...suppression.withdrew],
      withdrawnPurposes: current.withdrawnPurposes.filter((purpose) => !isBack(purpose)),
    },
    failure: null,
  };
}

/**
 * Returns whether a marketing email with this purpose may be sent. Consent to emails is presumed until it is withdrawn,
 * but not after a complaint.
 */
export function takesMarketing(endpoint: DeliveryEndpoint, purpose: string): boolean {
  if (endpoint.suppression?.reason === "complained") return endpoint.grantedPurposes.includes(purpose);
  return !endpoint.withdrawnPurposes.includes(purpose);
}
