import { statusOf } from "../domain/identity-migration-transaction.ts";
import type { PlatformAccount } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";

/** A project that an account is linked to, or will be linked to once the project confirms. */
export type LinkedProject = {
  readonly name: string;
  readonly status: "link_pending" | "completed";
  /** The address that the project asserted. */
  readonly email: string;
  readonly at: Date;
};

/** The projects that an account is linked to, the newest link first. */
export async function listLinkedProjects(context: IdentityContext, accountId: string): Promise<LinkedProject[]> {
  const linked: LinkedProject[] = [];
  const nameOf = projectNames(context);
  for (const transaction of await context.transactions.listOfAccount(accountId)) {
    const status = statusOf(transaction, context.clock());
    if (status !== "link_pending" && status !== "completed") continue;
    const at = transaction.completed_at ?? transaction.linked_at ?? transaction.created_at;
    linked.push({ name: await nameOf(transaction.project_client_id), status, email: transaction.email, at });
  }
  return linked.toSorted((one, other) => other.at.getTime() - one.at.getTime());
}

/** All data that identity-svc stores about an account, as the person downloads it. Times are RFC 3339. */
export async function exportAccount(context: IdentityContext, account: PlatformAccount): Promise<object> {
  const now = context.clock();
  const nameOf = projectNames(context);
  const transactions = await context.transactions.listOfAccount(account.id);
  const sessions = await context.sessions.listUsable(account.id, now);
  const migrations = [];
  for (const transaction of transactions) {
    const { id, project_client_id, legacy_subject, email, locale, created_at, linked_at, completed_at } = transaction;
    const project = await nameOf(project_client_id);
    const status = statusOf(transaction, now);
    migrations.push({ id, project, legacy_subject, email, locale, status, created_at, linked_at, completed_at });
  }
  return {
    exported_at: now,
    account: { id: account.id, created_at: account.created_at, addresses: account.login_identifiers },
    identity_migrations: migrations,
    sessions: sessions.map(({ id, created_at, authenticated_at, last_seen_at, expires_at }) => ({
      id,
      created_at,
      authenticated_at,
      last_seen_at,
      expires_at,
    })),
  };
}

/** Names of Project Clients by their ids, each read once. */
function projectNames({ clients }: Pick<IdentityContext, "clients">): (clientId: string) => Promise<string> {
  const names = new Map<string, string>();
  return async (clientId) => {
    const known = names.get(clientId) ?? (await clients.find(clientId))?.name ?? clientId;
    names.set(clientId, known);
    return known;
  };
}
