import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { SinkMessage } from "@platform/provider-sink";
import { readSessionToken } from "../src/operations/open-session.ts";
import { callAs, makeClient, type TestIdentity } from "./start-identity.ts";

export const returnUri = "http://127.0.0.1:3999/linked";

/** A transaction as a project backend creates it. */
export type MadeTransaction = {
  readonly id: string;
  readonly clientId: string;
  readonly email: string;
  readonly flowToken: string;
};

let lastNumber = 0;

/** An address that no other test in the file uses. */
export function freshEmail(): string {
  lastNumber += 1;
  return `person-${lastNumber}@example.com`;
}

/** Creates a transaction, for a new Project Client unless one is given. */
export async function makeTransaction(
  identity: TestIdentity,
  options: {
    clientId?: string;
    email?: string;
    legacySubject?: string;
    locale?: string;
    expiresInSeconds?: number;
  } = {},
): Promise<MadeTransaction> {
  const clientId = options.clientId ?? (await makeClient(identity, [returnUri]));
  const email = options.email ?? freshEmail();
  const reply = await identity.migration.createIdentityMigrationTransaction(
    {
      projectClientId: clientId,
      legacySubject: options.legacySubject ?? `legacy-${randomUUID()}`,
      email,
      locale: options.locale ?? "en",
      correlationId: randomUUID(),
      expiresAt: timestampFromDate(
        new Date(identity.clock.now().getTime() + (options.expiresInSeconds ?? 24 * 60 * 60) * 1000),
      ),
    },
    callAs(clientId, randomUUID()),
  );
  // The clock advances, so that the verification is later than the transaction even if both happen in one
  // millisecond.
  identity.clock.advanceSeconds(1);
  return { id: reply.transaction?.id ?? "", clientId, email, flowToken: reply.flowToken };
}

/** Creates an account that signs in with `email`, verified now or not at all, and opens a session. */
export async function makeAccount(
  identity: TestIdentity,
  options: { email?: string; verified?: boolean; authenticatedSecondsAgo?: number } = {},
): Promise<{ accountId: string; email: string; sessionId: string; sessionToken: string }> {
  const email = options.email ?? freshEmail();
  const made = await identity.accounts.createAccount(
    { email, password: password, verified: options.verified === true },
    callAs(null),
  );
  const accountId = made.account?.id ?? "";
  return { accountId, email, ...(await openSession(identity, accountId, options.authenticatedSecondsAgo ?? 0)) };
}

export const password = "correct horse battery staple";

/** Opens a session of an account. */
export async function openSession(
  identity: TestIdentity,
  accountId: string,
  authenticatedSecondsAgo = 0,
): Promise<{ sessionId: string; sessionToken: string }> {
  const { sessionToken } = await identity.accounts.createSession(
    { accountId, authenticatedSecondsAgo: BigInt(authenticatedSecondsAgo) },
    callAs(null),
  );
  return { sessionId: readSessionToken(sessionToken)?.id ?? "", sessionToken };
}

/** Links the account of a session, as the gateway does. */
export function link(identity: TestIdentity, transaction: MadeTransaction, sessionId: string, flowToken?: string) {
  return identity.migration.linkIdentityMigrationTransaction(
    { transactionId: transaction.id, sessionId, flowToken: flowToken ?? transaction.flowToken },
    callAs(null),
  );
}

export function confirm(identity: TestIdentity, transaction: MadeTransaction) {
  return identity.migration.confirmIdentityMigrationLink(
    { transactionId: transaction.id },
    callAs(transaction.clientId),
  );
}

export async function statusOf(identity: TestIdentity, transaction: MadeTransaction): Promise<string | undefined> {
  const reply = await identity.migration.getIdentityMigrationTransaction(
    { transactionId: transaction.id },
    callAs(transaction.clientId),
  );
  return reply.transaction?.status;
}

export function requestVerification(identity: TestIdentity, transaction: MadeTransaction, sessionId: string) {
  return identity.migration.requestEmailVerification(
    { transactionId: transaction.id, sessionId, flowToken: transaction.flowToken },
    callAs(null),
  );
}

/** Waits for the `count`-th email to an address and reads its link and code. */
export async function readMail(
  identity: TestIdentity,
  email: string,
  count = 1,
): Promise<{ code: string | null; linkPath: string | null; message: SinkMessage }> {
  const messages = await identity.sink.messages({ channel: "email", to: email, count, waitMs: 20_000 });
  const message = messages[count - 1];
  if (message === undefined) throw new Error(`mail ${count} to ${email} did not arrive`);
  const text: string = message.parsed.text;
  const link = /https?:\/\/\S+\/verify-email\/[0-9a-f]{64}/.exec(text)?.[0];
  return {
    code: /\b\d{6}\b/.exec(text)?.[0] ?? null,
    linkPath: link === undefined ? null : new URL(link).pathname,
    message,
  };
}

/** The error code of an operation, or "let in" if it succeeds. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "let in";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}
