import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { StoredDocument } from "@platform/kit/store/documents";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { begin, openBrowser } from "./hosted-browser.ts";
import {
  confirm,
  freshEmail,
  link,
  makeAccount,
  makeTransaction,
  openSession,
  password,
  refusal,
  statusOf,
} from "./migration-steps.ts";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
let mongo: MongoClient;
beforeAll(async () => {
  identity = await startIdentity();
  mongo = await MongoClient.connect(identity.mongo.uri);
});
afterAll(async () => {
  await mongo.close();
  await identity.close();
});

const database = () => mongo.db(identity.mongo.database);

describe("the accounts with an address", () => {
  it("finds accounts by any spelling of an address, and shows the address only with reveal", async () => {
    const { accountId } = await makeAccount(identity, { email: "kim.find@example.com", verified: true });
    const { accounts } = await identity.support.findAccounts({ email: " Kim.Find@Example.com " }, callAs(null));
    expect(accounts).toMatchObject([
      { id: accountId, status: "active", loginIdentifiers: [{ email: "", addressHint: "k***@example.com" }] },
    ]);
    const shown = await identity.support.findAccounts({ email: "kim.find@example.com", reveal: true }, callAs(null));
    expect(shown.accounts[0]?.loginIdentifiers[0]?.email).toBe("kim.find@example.com");
    expect((await identity.accounts.showAccount({ accountId }, callAs(null))).account?.loginIdentifiers[0]?.email).toBe(
      "",
    );
    const examined = await identity.mongo.examined("platform_accounts", () =>
      identity.support.findAccounts({ email: "kim.find@example.com" }, callAs(null)),
    );
    expect(Math.max(...examined)).toBeLessThanOrEqual(1);
  });

  it("finds no account for an unknown address", async () => {
    expect(await identity.support.findAccounts({ email: "nobody@example.com" }, callAs(null))).toMatchObject({
      accounts: [],
    });
  });
});

describe("a disabled account", () => {
  it("ends the sessions of a disabled account, and refuses to sign it in until it is enabled", async () => {
    const { accountId, email, sessionId } = await makeAccount(identity, { verified: true });
    const transaction = await makeTransaction(identity, { email });
    const disabled = await identity.support.disableAccount({ accountId }, callAs(null));
    expect(disabled.account?.status).toBe("disabled");
    expect(await refusal(link(identity, transaction, sessionId))).toBe("unauthenticated");
    expect(await refusal(openSession(identity, accountId))).toBe("contract_violation");
    const { account } = await identity.support.enableAccount({ accountId }, callAs(null));
    expect(account?.status).toBe("active");
    expect(await refusal(link(identity, transaction, sessionId))).toBe("unauthenticated");
    identity.clock.advanceSeconds(1);
    expect((await openSession(identity, accountId)).sessionToken).toMatch(/^psess_/);
  });

  it("sends no recovery email to a disabled account", async () => {
    const { accountId } = await makeAccount(identity, { verified: true });
    await identity.support.disableAccount({ accountId }, callAs(null));
    expect(await refusal(identity.support.sendAccountRecovery({ accountId }, callAs(null)))).toBe("contract_violation");
  });

  it("treats a disabled account's sign-in like a wrong password", async () => {
    const { accountId, email } = await makeAccount(identity, { verified: true });
    const transaction = await makeTransaction(identity, { email });
    await identity.support.disableAccount({ accountId }, callAs(null));
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    const refused = await browser.submit("sign-in", { email, password });
    const unknown = await browser.submit("sign-in", { email: "nobody-at-all@example.com", password });
    expect([refused.status, refused.at]).toEqual([unknown.status, unknown.at]);
  });
});

describe("account recovery by support", () => {
  it("emails the owner a recovery link, and shows support only the masked address", async () => {
    const { accountId, email } = await makeAccount(identity, { verified: true });
    const { addressHint } = await identity.support.sendAccountRecovery({ accountId, language: "ja" }, callAs(null));
    expect(addressHint).toMatch(/^p\*\*\*@example\.com$/);
    const [mail] = await identity.sink.messages({ channel: "email", to: email, count: 1, waitMs: 20_000 });
    expect(mail?.parsed.text).toMatch(/https?:\/\/\S+[0-9a-f]{64}/);
    expect(await refusal(identity.support.sendAccountRecovery({ accountId: randomUUID() }, callAs(null)))).toBe(
      "platform_account_not_found",
    );
  });
});

describe("sessions of an account", () => {
  it("ends all sessions of an account when they are revoked", async () => {
    const { accountId } = await makeAccount(identity, { verified: true });
    await openSession(identity, accountId);
    expect((await identity.support.revokeAccountSessions({ accountId }, callAs(null))).revoked).toBe(2);
    expect((await identity.accounts.listSessions({ accountId }, callAs(null))).sessions).toEqual([]);
    expect((await identity.support.revokeAccountSessions({ accountId }, callAs(null))).revoked).toBe(0);
  });
});

describe("the list of Identity Migration Transactions", () => {
  it("filters transactions by legacy subject, address and status, and reads only one page of documents", async () => {
    const clientId = await makeClient(identity);
    const email = freshEmail();
    for (let at = 0; at < 30; at += 1) await makeTransaction(identity, { clientId, legacySubject: `subject-${at}` });
    const wanted = await makeTransaction(identity, { clientId, email: email.toUpperCase(), legacySubject: "wanted" });
    const list = async (filter: object) =>
      (await identity.migrations.listMigrations({ projectClientId: clientId, limit: 2, ...filter }, callAs(null)))
        .migrations;
    expect(await list({ email })).toMatchObject([{ id: wanted.id, status: "pending", legacySubject: "wanted" }]);
    expect(await list({ legacySubject: "subject-7" })).toHaveLength(1);
    expect(await list({ status: "completed" })).toEqual([]);
    expect((await list({ limit: 200 })).map(({ legacySubject }) => legacySubject).slice(0, 2)).toEqual([
      "wanted",
      "subject-29",
    ]);
    const examined = await identity.mongo.examined("identity_migration_transactions", async () => {
      for (const filter of [{}, { email }, { legacySubject: "subject-7" }, { status: "pending" }]) await list(filter);
    });
    expect(Math.max(...examined)).toBeLessThanOrEqual(3);
  });

  it("lists the transactions of every client, newest first, and reads only one page of documents", async () => {
    const [one, other] = [await makeClient(identity), await makeClient(identity)];
    const email = freshEmail();
    for (let at = 0; at < 10; at += 1) await makeTransaction(identity, { clientId: one, legacySubject: "s-shared" });
    await makeTransaction(identity, { clientId: other, email, legacySubject: "s-shared" });
    const list = async (filter: object) =>
      (await identity.migrations.listMigrations({ limit: 2, ...filter }, callAs(null))).migrations;
    const clientsOf = async (filter: object) => (await list(filter)).map(({ projectClientId }) => projectClientId);
    expect(await clientsOf({})).toEqual([other, one]);
    expect(await clientsOf({ legacySubject: "s-shared" })).toEqual([other, one]);
    expect(await clientsOf({ email })).toEqual([other]);
    const examined = await identity.mongo.examined("identity_migration_transactions", async () => {
      for (const filter of [{}, { email }, { legacySubject: "s-shared" }, { status: "pending" }]) await list(filter);
    });
    expect(Math.max(...examined)).toBeLessThanOrEqual(3);
  });

  it("refuses an unknown status", async () => {
    const projectClientId = await makeClient(identity);
    const asked = identity.migrations.listMigrations({ projectClientId, status: "lost" }, callAs(null));
    expect(await refusal(asked)).toBe("contract_violation");
  });
});

describe("an annulled transaction", () => {
  it("expires an annulled transaction, and allows a new one of the same subject to complete", async () => {
    const wrong = await makeAccount(identity, { verified: true });
    const clientId = await makeClient(identity);
    const first = await makeTransaction(identity, { clientId, email: wrong.email, legacySubject: "s-1" });
    await database()
      .collection<StoredDocument>("platform_accounts")
      .updateOne({ _id: wrong.accountId }, { $set: { "login_identifiers.0.verified_at": identity.clock.now() } });
    await link(identity, first, wrong.sessionId);
    await confirm(identity, first);
    const { migration } = await identity.migrations.annulMigration({ transactionId: first.id }, callAs(null));
    expect(migration).toMatchObject({ id: first.id, status: "expired", accountId: wrong.accountId });
    expect(migration?.annulledAt).toBeDefined();
    expect(await statusOf(identity, first)).toBe("expired");
    expect(await refusal(confirm(identity, first))).toBe("identity_migration_transaction_expired");

    const second = await makeTransaction(identity, { clientId, legacySubject: "s-1" });
    const right = await makeAccount(identity, { email: second.email, verified: true });
    await link(identity, second, right.sessionId);
    await confirm(identity, second);
    expect(await statusOf(identity, second)).toBe("completed");
  });

  it("refuses to link an annulled transaction, and keeps the time of the first annulment", async () => {
    const transaction = await makeTransaction(identity);
    const { sessionId } = await makeAccount(identity, { email: transaction.email, verified: true });
    const annul = async () =>
      (await identity.migrations.annulMigration({ transactionId: transaction.id }, callAs(null))).migration?.annulledAt;
    const at = await annul();
    identity.clock.advanceSeconds(5);
    expect(await annul()).toEqual(at);
    expect(await refusal(link(identity, transaction, sessionId))).toBe("identity_migration_transaction_expired");
    expect(await refusal(identity.migrations.annulMigration({ transactionId: randomUUID() }, callAs(null)))).toBe(
      "identity_migration_transaction_not_found",
    );
  });
});

describe("credentials of all clients", () => {
  it("lists credentials by expiry without revoked ones, and reads only one page of documents", async () => {
    const [one, other] = [await makeClient(identity), await makeClient(identity)];
    const inDays = (days: number) => timestampFromDate(new Date(identity.clock.now().getTime() + days * 86_400_000));
    const issue = async (projectClientId: string, days: number | null) =>
      (
        await identity.clients.issueProjectCredential(
          {
            projectClientId,
            scopes: ["clients:read"],
            name: `in ${days}`,
            ...(days === null ? {} : { expiresAt: inDays(days) }),
          },
          callAs(null),
        )
      ).projectCredential?.id ?? "";
    const [soon, later] = [await issue(other, 2), await issue(one, 5)];
    await issue(one, 20);
    await issue(one, null);
    const revoked = await issue(one, 3);
    await identity.clients.revokeProjectCredential({ credentialId: revoked }, callAs(null));
    const list = async (request: object) =>
      (await identity.clients.listProjectCredentials(request, callAs(null))).projectCredentials.map(({ id }) => id);
    expect(await list({ expiresWithinDays: 7 })).toEqual([soon, later]);
    expect(await list({ expiresWithinDays: 7, projectClientId: one })).toEqual([later]);
    expect(await list({ projectClientId: one })).toHaveLength(4);
    for (let at = 0; at < 10; at += 1) await issue(one, 100 + at);
    const examined = await identity.mongo.examined("project_credentials", async () => {
      await list({ limit: 2 });
      await list({ projectClientId: one, limit: 2 });
      await list({ expiresWithinDays: 7, limit: 2 });
    });
    expect(Math.max(...examined)).toBeLessThanOrEqual(4);
  });
});
