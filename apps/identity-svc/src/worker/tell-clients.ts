import { noticeFact, platformFact } from "@platform/operator-plane/platform-events";
import type { Stores } from "../store/create-stores.ts";

type TellOptions = {
  readonly stores: Pick<Stores, "clients" | "transactions" | "credentials">;
  readonly clock: () => Date;
};

const clientsMax = 10_000;
const batchMax = 500;
const dayMs = 86_400_000;
/** Days before the expiry of a credential on which its client is notified. */
const expiringDays = [14, 3] as const;

/** Notifies clients of expired Identity Migration Transactions and of credentials that are about to expire. */
export async function tellOfTimes({ stores, clock }: TellOptions): Promise<void> {
  const now = clock();
  const clientIds = await stores.clients.listPlatformEventsAfter("", clientsMax);
  const logged = new Set(clientIds);
  const expired = logged.size === 0 ? [] : await stores.transactions.findExpiredUntold(clientIds, now, batchMax);
  for (const { id, project_client_id } of expired) {
    const fact = platformFact({ resource: "identity_migration", id, state: "expired" }, now);
    await stores.transactions.tellExpired(project_client_id, id, fact);
  }
  for (const days of expiringDays) {
    const span = { now, until: new Date(now.getTime() + days * dayMs) };
    for (const { id, project_client_id, expires_at } of await stores.credentials.findExpiringUntold(
      days,
      span,
      batchMax,
    )) {
      const data = { expires_at: expires_at?.toISOString() ?? null, days };
      // The key contains the number of days, because a client is notified of each credential twice.
      const isLogged = logged.has(project_client_id);
      const fact = noticeFact({ resource: "credential", id, state: "expiring", data }, now, isLogged);
      await stores.credentials.tellExpiring(id, days, { ...fact, key: `${fact.key}:${days}` });
    }
  }
}
