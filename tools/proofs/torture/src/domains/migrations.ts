import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type DomainKind, verdictOn, type World } from "../domain.ts";
import { acknowledge, begin, type Entries, type Entry, found } from "../entry.ts";
import type { LoadClient } from "../platform.ts";

const rivals = 2;
const accountEveryMs = 10_000;

/**
 * Identity migration: of two transactions of one legacy subject, linked and confirmed concurrently, exactly one must
 * complete, permanently.
 */
export const migrations: DomainKind = {
  name: "migrations",
  perSecond: 2,
  create: async (world) => {
    const entries: Entries = new Map();
    const sessionAfter = createSessions(world.platform);
    return {
      load: async () => {
        const client = world.nextClient();
        const entry = begin(entries, client.id, `subject-${randomUUID()}`);
        const outcomes = await Promise.all(
          Array.from({ length: rivals }, () => migrate(world, entry, client, sessionAfter)),
        );
        for (const { completedId } of outcomes) if (completedId !== null) acknowledge(entry, completedId);
        const refusals = outcomes.flatMap(({ refusal }) => refusal ?? []);
        // A rejection is permitted only for the rival of the completed transaction.
        if (entry.id === null || refusals.some((refusal) => !refusal.endsWith(" account_already_linked"))) {
          entry.refusal = refusals.join(", ");
        }
      },
      reconcile: async (stores) => {
        const transactions = stores("identity").collection("identity_migration_transactions");
        for await (const row of transactions.find({ state: "completed" }, { projection: { legacy_subject: 1 } })) {
          const entry = entries.get(row.legacy_subject);
          if (entry !== undefined) found(entry, String(row._id));
        }
        return verdictOn("migrations", entries, [`${rivals} transactions for each legacy subject`]);
      },
    };
  },
};

type Outcome = { completedId: string | null; refusal: string | null };

/** Creates a transaction, links an account and confirms the link. */
async function migrate(
  { ask }: World,
  entry: Entry,
  client: LoadClient,
  sessionAfter: (timeMs: number) => Promise<string>,
): Promise<Outcome> {
  const { credential } = client;
  const created = await ask.untilAnswered(entry, {
    path: "/identity-migration-transactions",
    credential,
    idempotencyKey: randomUUID(),
    body: {
      project_client_id: client.id,
      legacy_subject: entry.key,
      email: `${entry.key}@example.com`,
      locale: "en",
      correlation_id: randomUUID(),
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
  });
  if (created.data === null) return { completedId: null, refusal: created.refusal };
  const id = String(created.data.id);
  const path = `/identity-migration-transactions/${id}`;
  const session = await sessionAfter(Date.now());
  const linked = await ask.untilAnswered(entry, {
    path: `${path}/link`,
    credential: session,
    body: { flow_token: created.data.flow_token as string },
  });
  if (linked.data === null) return { completedId: null, refusal: linked.refusal };
  const { data, refusal } = await ask.untilAnswered(entry, { path: `${path}/confirm-link`, credential });
  return { completedId: data?.status === "completed" ? id : null, refusal };
}

/**
 * Sessions of accounts. Linking requires an address that was verified after the transaction was created, so all waiting
 * transactions share the next session.
 */
function createSessions(platform: World["platform"]): (timeMs: number) => Promise<string> {
  let newest = { verifiedAfterMs: 0, session: "" };
  let making: Promise<void> | null = null;
  const make = async (): Promise<void> => {
    // These times are compared with times that identity-svc has stored, so they come from the wall clock.
    await delay(Math.max(0, newest.verifiedAfterMs + accountEveryMs - Date.now()));
    const verifiedAfterMs = Date.now();
    const email = `${randomUUID()}@example.com`;
    const ctl = async (...args: string[]) => (await platform.ctl(args)) as { id: string; session: string };
    try {
      const { id } = await ctl("accounts", "create", "--email", email, "--password", randomUUID(), "--verified");
      newest = { verifiedAfterMs, session: (await ctl("sessions", "create", "--account", id)).session };
    } catch {
      // The call fails while identity-svc or its store is unavailable.
      await delay(1_000);
    }
  };
  return async (timeMs) => {
    while (newest.verifiedAfterMs <= timeMs) {
      making ??= make().finally(() => {
        making = null;
      });
      await making;
    }
    return newest.session;
  };
}
