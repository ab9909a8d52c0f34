import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { type GrpcConnection, steadyNowMs } from "@platform/kit/rpc/client";
import { isRefusal } from "@platform/kit/rpc/errors";
import type { OutboxEntry, PlatformFact } from "@platform/kit/store/documents";
import { ContactNoticeService } from "@platform/proto/identity/v1/contact_notices";
import type { PublishAndTell, PublishFacts } from "./relay-platform-events.ts";

/** A fact about which the contacts of a client are notified. */
export type ContactFact = { readonly clientId: string; readonly fact: PlatformFact };

/** Notifies contacts of facts, at most once for each key and day. */
export type TellContacts = (facts: readonly ContactFact[]) => Promise<void>;

const deadlineMs = 10_000;

/** Notifies contacts through identity-svc, which stores their addresses. */
export function tellContactsByIdentitySvc(identity: GrpcConnection): TellContacts {
  const service = identity.service(ContactNoticeService);
  return async (facts) => {
    const context = { correlationId: newId(), operation: "notifyContacts", projectClient: null, idempotency: null };
    const notices = facts.map(({ clientId, fact: { type, key, data_json, occurred_at } }) => ({
      projectClientId: clientId,
      type,
      key,
      dataJson: data_json,
      occurredAt: timestampFromDate(occurred_at),
    }));
    await service.notifyContacts({ notices }, { context, deadlineMs: steadyNowMs() + deadlineMs });
  };
}

/**
 * Publishes facts, and notifies contacts of the facts that concern them. If a client has turned platform events off,
 * only its contacts are notified. If contacts cannot be notified, for example because identity-svc is unavailable, the
 * facts are published nevertheless.
 */
export function publishAndTell(publish: PublishFacts, tell: TellContacts, logger: Logger): PublishAndTell {
  return async (entries) => {
    const forLog = entries.map(withoutContactsOnly).filter(({ facts }) => facts.length > 0);
    if (forLog.length > 0) await publish(forLog);
    const withContacts = entries.filter(({ facts }) => facts.some(isForContacts));
    if (withContacts.length === 0) return [];
    try {
      await tell(
        withContacts.flatMap(({ clientId, facts }) => facts.filter(isForContacts).map((fact) => ({ clientId, fact }))),
      );
      return [];
    } catch (error) {
      if (isRefusal(error)) throw error;
      logger.warn({ err: error, job: "relay-platform-events" }, "contacts wait to be notified");
      return withContacts;
    }
  };
}

const isForContacts = ({ audience }: PlatformFact): boolean => audience !== undefined;

const withoutContactsOnly = (entry: OutboxEntry): OutboxEntry => ({
  ...entry,
  facts: entry.facts.filter(({ audience }) => audience !== "contacts"),
});
