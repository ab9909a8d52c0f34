import type { Channel } from "./channel.ts";

export const endpointStatuses = [
  "pending",
  "verified",
  "verification_failed",
  "verification_locked",
  "revoked",
] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

/** The token that verifies an endpoint. Only its hash is stored. */
export type Verification = {
  readonly tokenHash: string;
  /** Number of the token among those of this endpoint, so that a push can tell whether it contains the current one. */
  readonly generation: number;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly wrongTries: number;
};

/** A person's request to receive emails of a purpose again, which a link emailed to the address confirms. */
export type Resubscription = {
  readonly purpose: string;
  readonly senderProfileId: string;
  /** Language of the page on which it was requested. */
  readonly locale: "en" | "ja";
  /** Hash of the link's token; empty once it was used. */
  readonly tokenHash: string;
  /** Number of links that this endpoint has had. The token is derived from it. */
  readonly generation: number;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  /** Number of emails that were requested since `countedFrom`. */
  readonly count: number;
  readonly countedFrom: Date;
  /** Time of the next attempt to send the email; null if it was sent, or never will be. */
  readonly mailDueAt: Date | null;
  readonly mailTries: number;
};

/** Reason why no email, or no marketing email, is sent to an address: emails bounce, the owner complained, or the mail server rejected it. */
export type SuppressionReason = "bounced" | "complained" | "refused";

export type Suppression = {
  readonly reason: SuppressionReason;
  readonly since: Date;
  /** Consents that the suppression withdrew although their owner had not. They are restored when it is lifted. */
  readonly withdrew: readonly string[];
};

/** An address of a person, and the consents of that person. */
export type DeliveryEndpoint = {
  readonly id: string;
  readonly projectClientId: string;
  /**
   * Environment of the Project Client when it registered the address. It decides whether loopback push services may be
   * called.
   */
  readonly environment: string;
  readonly channel: Channel;
  /** Normalized email address, provider token, LINE user ID, or the JSON of a PushSubscription. */
  readonly address: string;
  readonly status: EndpointStatus;
  readonly verification: Verification | null;
  /**
   * Generation of the ownership; each revocation increments it. A delivery belongs to the ownership under which it was
   * accepted, and not to a later one of the address.
   */
  readonly ownershipGeneration: number;
  readonly verifiedAt: Date | null;
  readonly grantedPurposes: readonly string[];
  readonly withdrawnPurposes: readonly string[];
  /** Why the verification could not be sent, or why the endpoint was revoked by its provider. */
  readonly lastErrorCode: string | null;
  /** Time at which the verification push has to be queued; null if there is none. */
  readonly pushDueAt: Date | null;
  /** The last request to receive emails again; null if there was none. */
  readonly resubscription: Resubscription | null;
  /** Reason why no email, or no marketing email, is sent to it; null if it is not suppressed. */
  readonly suppression: Suppression | null;
  /**
   * Incremented by every change. Each write requires the version that it changes, so that concurrent changes do not
   * mix.
   */
  readonly version: number;
  readonly createdAt: Date;
};

export type EndpointFailure =
  | "delivery_endpoint_revoked"
  | "verification_token_invalid"
  | "verification_token_expired"
  | "verification_locked"
  | "too_many_purposes";

/** Result of a change: the next state, if it changes, and the failure to return, if any. */
export type EndpointChange = {
  readonly next: DeliveryEndpoint | null;
  readonly failure: EndpointFailure | null;
};

const tokenLifeMs = 24 * 60 * 60 * 1000;
const wrongTriesMax = 5;
const resendMs = 60_000;
/** Limits the size of the document. The maximum is far above any real number of purposes. */
const purposesMax = 1000;

/** The ownership generation of a new endpoint. */
export const firstOwnership = 1;

const unchanged: EndpointChange = { next: null, failure: null };

/** Creates the record of a new token, which is valid for 24 hours and has no wrong attempts yet. */
export function newVerification(tokenHash: string, generation: number, now: Date): Verification {
  return { tokenHash, generation, issuedAt: now, expiresAt: new Date(now.getTime() + tokenLifeMs), wrongTries: 0 };
}

/**
 * Registers an email address again. A pending endpoint gets the new token and its full number of attempts; a verified
 * one does not change.
 */
export function reregisterEmail(current: DeliveryEndpoint, tokenHash: string, now: Date): EndpointChange {
  if (current.status === "verified") return unchanged;
  const verification = newVerification(tokenHash, (current.verification?.generation ?? 0) + 1, now);
  return { next: { ...current, status: "pending", verification }, failure: null };
}

/**
 * Registers the address of another channel again. A pending endpoint gets a new token at most once a minute, so that
 * nobody can flood a device. One that failed, was locked or was revoked starts verification again; a verified one
 * does not change.
 * @param tokenHashOf hash of the token of a generation
 */
export function reregisterChannel(
  current: DeliveryEndpoint,
  tokenHashOf: (generation: number) => string,
  environment: string,
  now: Date,
): EndpointChange {
  if (current.status === "verified") return unchanged;
  const issuedAt = current.verification?.issuedAt ?? null;
  if (current.status === "pending" && issuedAt !== null && now.getTime() - issuedAt.getTime() < resendMs) {
    return unchanged;
  }
  const generation = (current.verification?.generation ?? 0) + 1;
  return {
    next: {
      ...current,
      environment,
      status: "pending",
      verification: newVerification(tokenHashOf(generation), generation, now),
      verifiedAt: null,
      lastErrorCode: null,
      pushDueAt: now,
    },
    failure: null,
  };
}

/**
 * Checks a verification token. The attempt that reaches the limit gets the same response as any wrong one. The next one
 * is rejected as locked, even with the right token. Attempts on a verified endpoint change nothing.
 * @param matches returns whether `tokenHash` is the hash of the presented token
 */
export function verify(current: DeliveryEndpoint, matches: (tokenHash: string) => boolean, now: Date): EndpointChange {
  if (current.status === "revoked") return { next: null, failure: "delivery_endpoint_revoked" };
  if (current.status === "verification_locked") return { next: null, failure: "verification_locked" };
  const { verification } = current;
  if (current.status === "verified" || verification === null) {
    return { next: null, failure: "verification_token_invalid" };
  }
  if (verification.wrongTries >= wrongTriesMax) return { next: null, failure: "verification_locked" };
  if (!matches(verification.tokenHash)) {
    const wrongTries = verification.wrongTries + 1;
    // An email endpoint has no locked status, so its number of wrong attempts decides whether it is locked.
    const isLocked = wrongTries >= wrongTriesMax && current.channel !== "email";
    const status = isLocked ? "verification_locked" : current.status;
    return {
      next: { ...current, status, verification: { ...verification, wrongTries } },
      failure: "verification_token_invalid",
    };
  }
  if (now >= verification.expiresAt) return { next: null, failure: "verification_token_expired" };
  // Removing the hash consumes the token. The generation is kept, so that a later token is never mistaken for this
  // one.
  const consumed = { ...verification, tokenHash: "" };
  return {
    next: {
      ...current,
      status: "verified",
      verification: consumed,
      verifiedAt: now,
      lastErrorCode: null,
      pushDueAt: null,
      // The token has arrived, so the address works and its suppression ends. A complaint is not withdrawn by that.
      suppression: current.suppression?.reason === "complained" ? current.suppression : null,
    },
    failure: null,
  };
}

/** Revokes an endpoint and withdraws every consent. Revoking it again changes nothing. */
export function revoke(current: DeliveryEndpoint, reason: string | null = null): EndpointChange {
  if (current.status === "revoked") return unchanged;
  return {
    next: {
      ...current,
      status: "revoked",
      verification: current.verification === null ? null : { ...current.verification, tokenHash: "" },
      ownershipGeneration: current.ownershipGeneration + 1,
      verifiedAt: null,
      grantedPurposes: [],
      withdrawnPurposes: [...new Set([...current.withdrawnPurposes, ...current.grantedPurposes])],
      lastErrorCode: reason,
      pushDueAt: null,
      resubscription: null,
    },
    failure: null,
  };
}

/** Grants or withdraws consent for a purpose. */
export function setConsent(current: DeliveryEndpoint, purpose: string, granted: boolean): EndpointChange {
  if (current.status === "revoked") return { next: null, failure: "delivery_endpoint_revoked" };
  const same = granted ? current.grantedPurposes : current.withdrawnPurposes;
  if (same.includes(purpose)) return unchanged;
  const known = current.grantedPurposes.length + current.withdrawnPurposes.length;
  const other = (granted ? current.withdrawnPurposes : current.grantedPurposes).filter((name) => name !== purpose);
  if (other.length + same.length === known && known >= purposesMax) return { next: null, failure: "too_many_purposes" };
  const added = [...same, purpose];
  return {
    next: {
      ...current,
      grantedPurposes: granted ? added : other,
      withdrawnPurposes: granted ? other : added,
    },
    failure: null,
  };
}

/** Restores withdrawn consent. Consent that was never withdrawn does not change. */
export function restoreConsent(current: DeliveryEndpoint, purpose: string): EndpointChange {
  if (current.status === "revoked") return { next: null, failure: "delivery_endpoint_revoked" };
  return current.withdrawnPurposes.includes(purpose) ? setConsent(current, purpose, true) : unchanged;
}

/** Fails the verification, because the provider rejected the push with the token of the given generation. */
export function failVerification(current: DeliveryEndpoint, generation: number, reason: string): EndpointChange {
  if (current.status !== "pending" || current.verification?.generation !== generation) return unchanged;
  return { next: { ...current, status: "verification_failed", lastErrorCode: reason, pushDueAt: null }, failure: null };
}

/** The consents, sorted by purpose for display. */
export function consentsOf(endpoint: DeliveryEndpoint): { purpose: string; granted: boolean }[] {
  return [
    ...endpoint.grantedPurposes.map((purpose) => ({ purpose, granted: true })),
    ...endpoint.withdrawnPurposes.map((purpose) => ({ purpose, granted: false })),
  ].sort((a, b) => (a.purpose < b.purpose ? -1 : 1));
}
