import type { DeliveryEndpoint } from "./endpoint.ts";

/** Kind of a change of an endpoint. */
export type EndpointEventKind =
  | "registered"
  | "verified"
  | "verification_failed"
  | "verification_locked"
  | "revoked"
  | "consent_granted"
  | "consent_withdrawn"
  | "erased";

/** Who changed an endpoint: its project, its owner through an emailed link, an operator, the provider that rejected it, or a worker. */
export type EndpointChanger = "project" | "owner" | "operator" | "provider" | "platform";

/** Cause of an endpoint's change: who requested it, in which request, and for which delivery. */
export type ChangeCause = {
  readonly by: EndpointChanger;
  readonly correlationId: string | null;
  readonly deliveryId?: string;
};

/** One change of an endpoint's status or of a consent. */
export type EndpointEvent = {
  readonly what: EndpointEventKind;
  /** Purpose of the consent that was changed; null for other changes. */
  readonly purpose: string | null;
  /** The reason of the change, as a code. */
  readonly detail: string | null;
};

/**
 * Lists the changes of status and consents between two states of an endpoint. A revocation withdraws every consent,
 * which is not listed separately.
 */
export function eventsBetween(before: DeliveryEndpoint | null, next: DeliveryEndpoint): EndpointEvent[] {
  const of = (what: EndpointEventKind, detail: string | null = null): EndpointEvent => ({
    what,
    purpose: null,
    detail,
  });
  if (before === null) return next.status === "pending" ? [of("registered")] : [of("registered"), of("verified")];
  const { status } = next;
  const isMoved = status !== before.status;
  const moved = isMoved ? [of(status === "pending" ? "registered" : status, next.lastErrorCode)] : [];
  if (status === "revoked") return moved;
  const added = (now: readonly string[], earlier: readonly string[]): string[] =>
    now.filter((purpose) => !earlier.includes(purpose));
  return [
    ...moved,
    ...added(next.grantedPurposes, before.grantedPurposes).map((purpose) => ({
      what: "consent_granted" as const,
      purpose,
      detail: null,
    })),
    ...added(next.withdrawnPurposes, before.withdrawnPurposes).map((purpose) => ({
      what: "consent_withdrawn" as const,
      purpose,
      detail: null,
    })),
  ];
}
