import { type DeliveryEndpoint, type EndpointChange, revoke } from "./endpoint.ts";

const unchanged: EndpointChange = { next: null, failure: null };
/** Limits the size of the document, as in `setConsent`. */
const purposesMax = 1000;

/**
 * Suppresses an email address that does not exist. The endpoint is revoked.
 * @param errorCode the reason, which becomes the endpoint's last error
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
 * Suppresses marketing emails to a person who reported one as spam. Every consent is withdrawn. From then on, emails
 * are rejected for each purpose that the person has not granted again.
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
 * Lifts a suppression. An address that was considered dead becomes verified again, and regains the consents that the
 * suppression withdrew. Consents that its owner withdrew by a complaint are not restored.
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
