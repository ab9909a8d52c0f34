import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { begin, openBrowser, pages } from "./hosted-browser.ts";
import {
  makeAccount,
  makeTransaction,
  openSession,
  password,
  readMail,
  refusal,
  requestVerification,
} from "./migration-steps.ts";
import { startIdentity, type TestIdentity } from "./start-identity.ts";

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

/** Number of emails that were queued for a transaction. */
async function mailsOf(transactionId: string): Promise<number | undefined> {
  const transactions = mongo
    .db(identity.mongo.database)
    .collection<{ _id: string; verification_count: number }>("identity_migration_transactions");
  return (await transactions.findOne({ _id: transactionId }))?.verification_count;
}

const accountCount = (): Promise<number> =>
  mongo.db(identity.mongo.database).collection("platform_accounts").countDocuments();

test("sends at most one email every 30 seconds and ten in total to a flooded mailbox, and rejects the eleventh request", async () => {
  const transaction = await makeTransaction(identity);
  const account = await makeAccount(identity, { email: transaction.email });
  for (let round = 1; round <= 10; round += 1) {
    const { sessionId } = await openSession(identity, account.accountId);
    await requestVerification(identity, transaction, sessionId);
    await readMail(identity, transaction.email, round);
    identity.clock.advanceSeconds(31);
  }
  const { sessionId } = await openSession(identity, account.accountId);
  expect(await refusal(requestVerification(identity, transaction, sessionId))).toBe("verification_limit_reached");
  expect(await mailsOf(transaction.id)).toBe(10);
});

test("hashes one password and creates one account for a browser that registers repeatedly", async () => {
  const transaction = await makeTransaction(identity);
  const browser = openBrowser(identity);
  await begin(identity, browser, transaction);
  const page = await browser.get(`${pages}/register`);
  const formToken = /name="form_token" value="([0-9a-f]{64})"/.exec(page.html)?.[1] ?? "";
  const cookies = new Map(browser.cookies);
  const before = await accountCount();
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => {
      const attacker = openBrowser(identity);
      for (const [name, value] of cookies) attacker.cookies.set(name, value);
      return attacker.post(`${pages}/register`, { form_token: formToken, password });
    }),
  );
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(29);
  expect(await accountCount()).toBe(before + 1);
});
