import { type DeliveryEndpoint, type EndpointChange, type Resubscription, setConsent } from "./endpoint.ts";

const dayMs = 24 * 60 * 60_000;
const apartMs = 5 * 60_000;
/**
 * Maximum number of emails to one address per day. It prevents a person who has somebody's old email from flooding
 * that address.
 */
const mailsMax = 5;
const triesMax = 8;
/** Time that a worker has for one attempt, in milliseconds. */
const leaseMs = 60_000;
const retryMs = 2_000;

const unchanged: EndpointChange = { next: null, failure: null };

/**
 * Requests a link. Nothing changes if the address is not verified, if the consent was not withdrawn, or if a link was
 * emailed less than five minutes ago or five times within a day. A new link replaces the previous one.
 * @param tokenHashOf hash of the token of a generation
 */
export function askToResubscribe(
  current: DeliveryEndpoint,
  asked: Pick<Resubscription, "purpose" | "senderProfileId" | "locale">,
  tokenHashOf: (generation: number) => string,
  now: Date,
): EndpointChange {
  const before = current.resubscription;
  if (current.channel !== "email" || current.status !== "verified") return unchanged;
  if (!current.withdrawnPurposes.includes(asked.purpose)) return unchanged;
  const isSameDay = before !== null && now.getTime() - before.countedFrom.getTime() < dayMs;
  const count = isSameDay ? before.count : 0;
  if (count >= mailsMax) return unchanged;
  if (before !== null && now.getTime() - before.requestedAt.getTime() < apartMs) return unchanged;
  const generation = (before?.generation ?? 0) + 1;
  return changed(current, {
    ...asked,
    tokenHash: tokenHashOf(generation),
    generation,
    requestedAt: now,
    expiresAt: new Date(now.getTime() + dayMs),
    count: count + 1,
    countedFrom: isSameDay ? before.countedFrom : now,
    mailDueAt: now,
    mailTries: 0,
  });
}

/** The purpose for which a link restores consent; null if the link was used, was replaced or has expired. */
export function purposeOfLink(current: DeliveryEndpoint, tokenHash: string, now: Date): string | null {
  const { resubscription } = current;
  const isOpen = resubscription !== null && resubscription.tokenHash === tokenHash && now < resubscription.expiresAt;
  return isOpen ? resubscription.purpose : null;
}

/** Restores the consent and consumes the link, in one change. */
export function confirmResubscription(current: DeliveryEndpoint, tokenHash: string, now: Date): EndpointChange {
  const purpose = purposeOfLink(current, tokenHash, now);
  const { resubscription } = current;
  if (purpose === null || resubscription === null) return { next: null, failure: "verification_token_invalid" };
  const { next, failure } = setConsent(current, purpose, true);
  if (failure !== null) return { next: null, failure };
  return changed(next ?? current, { ...resubscription, tokenHash: "", mailDueAt: null });
}

/**
 * Claims the email that is due for one attempt; a second caller gets no change. The email is given up after eight
 * attempts.
 */
export function takeMail(current: DeliveryEndpoint, now: Date): EndpointChange {
  const { resubscription: asked } = current;
  if (asked === null || asked.mailDueAt === null || asked.mailDueAt > now) return unchanged;
  if (asked.mailTries >= triesMax || now >= asked.expiresAt) return changed(current, { ...asked, mailDueAt: null });
  return changed(current, {
    ...asked,
    mailDueAt: new Date(now.getTime() + leaseMs),
    mailTries: asked.mailTries + 1,
  });
}

/**
 * Records the result for the email with a link. `isOver` is true if it was sent or never will be; otherwise it is
 * retried.
 */
export function settleMail(current: DeliveryEndpoint, generation: number, isOver: boolean, now: Date): EndpointChange {
  const { resubscription: asked } = current;
  if (asked === null || asked.generation !== generation || asked.mailDueAt === null) return unchanged;
  const retryAt = new Date(now.getTime() + retryMs * 2 ** asked.mailTries);
  return changed(current, { ...asked, mailDueAt: isOver ? null : retryAt });
}

/** Returns a claimed email to the queue without counting an attempt, until its client or profile may send again. */
export function putMailBack(current: DeliveryEndpoint, generation: number, now: Date): EndpointChange {
  const { resubscription: asked } = current;
  if (asked === null || asked.generation !== generation || asked.mailDueAt === null) return unchanged;
  return changed(current, {
    ...asked,
    mailDueAt: new Date(now.getTime() + 10_000),
    mailTries: asked.mailTries - 1,
  });
}

const changed = (current: DeliveryEndpoint, resubscription: Resubscription): EndpointChange => ({
  next: { ...current, resubscription },
  failure: null,
});
