import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { begin, openBrowser, pages } from "./hosted-browser.ts";
import { makeAccount, makeTransaction, password, readMail, requestVerification, statusOf } from "./migration-steps.ts";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

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

/** The stored transactions. The tests change them to create the state after a crash. */
const transactions = () => mongo.db(identity.mongo.database).collection<any>("identity_migration_transactions");

async function registered() {
  const transaction = await makeTransaction(identity);
  const browser = openBrowser(identity);
  await begin(identity, browser, transaction);
  await browser.get(`${pages}/register`);
  await browser.submit("register", { password });
  return { transaction, browser };
}

test("adds the Login Identifier on the next page after a crash between the proof and the account's update", async () => {
  const { transaction, browser } = await registered();
  const stored = await transactions().findOne({ _id: transaction.id });
  const evidence = { account_id: stored.verification.account_id, email: stored.verification.email, at: new Date() };
  await transactions().updateOne({ _id: transaction.id }, { $set: { verification: null, evidence: [evidence] } });
  expect((await browser.get(`${pages}/verify-email`)).at).toBe(`${pages}/confirm`);
  const { account } = await identity.accounts.showAccount(
    { accountId: evidence.account_id, reveal: true },
    callAs(null),
  );
  expect(account?.loginIdentifiers.map(({ email }) => email)).toEqual([transaction.email]);
});

test("returns the same response for a repeated form after a crash between the link and the redirect", async () => {
  const { transaction, browser } = await registered();
  const { code } = await readMail(identity, transaction.email);
  await browser.submit("verify-email", { code: code ?? "" });
  const accountId = (await transactions().findOne({ _id: transaction.id })).evidence[0].account_id;
  await transactions().updateOne(
    { _id: transaction.id },
    { $set: { state: "link_pending", account_id: accountId, linked_at: new Date() } },
  );
  expect((await browser.submit("confirm")).at).toContain("status=link_pending");
  expect(await statusOf(identity, transaction)).toBe("link_pending");
});

test("sends a dead worker's email from another worker once the lease expires, and not before", async () => {
  await identity.stopWorker();
  const transaction = await makeTransaction(identity);
  const account = await makeAccount(identity, { email: transaction.email });
  await requestVerification(identity, transaction, account.sessionId);
  const leaseEnds = new Date(identity.clock.now().getTime() + 30_000);
  await transactions().updateOne(
    { _id: transaction.id },
    { $set: { "verification.mail.attempts": 1, "verification.mail.due_at": leaseEnds } },
  );
  await identity.startWorker();
  // Another email was sent in the meantime, so the worker must have polled.
  const { transaction: other } = await registered();
  await readMail(identity, other.email);
  expect(await identity.sink.messages({ channel: "email", to: transaction.email })).toEqual([]);
  identity.clock.advanceSeconds(31);
  expect((await readMail(identity, transaction.email)).linkPath).not.toBeNull();
});

test("gives an address that two people registered to the first who verifies it, and links nothing for the other", async () => {
  const first = await registered();
  const second = openBrowser(identity);
  const rival = await makeTransaction(identity, { email: first.transaction.email });
  await begin(identity, second, rival);
  await second.get(`${pages}/register`);
  await second.submit("register", { password: "another password altogether" });
  const mails = [await readMail(identity, rival.email, 1), await readMail(identity, rival.email, 2)];
  for (const { code } of mails) await first.browser.submit("verify-email", { code: code ?? "" });
  expect((await first.browser.get(`${pages}/confirm`)).at).toBe(`${pages}/confirm`);
  for (const { code } of mails) {
    await second.get(`${pages}/verify-email`);
    await second.submit("verify-email", { code: code ?? "" });
  }
  expect((await second.get(`${pages}/confirm`)).at).toBe(`${pages}/sign-in`);
  await second.submit("sign-in", { email: rival.email, password: "another password altogether" });
  expect(await statusOf(identity, rival)).toBe("pending");
  expect((await second.submit("sign-in", { email: rival.email, password })).at).toBe(`${pages}/confirm`);
});
