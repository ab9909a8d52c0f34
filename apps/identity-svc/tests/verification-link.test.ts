import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "./hosted-browser.ts";
import {
  link,
  makeAccount,
  makeTransaction,
  openSession,
  readMail,
  refusal,
  requestVerification,
} from "./migration-steps.ts";
import { startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

/** A transaction whose address its account owns, and the link that was emailed there. */
async function mailedLink() {
  const transaction = await makeTransaction(identity);
  const account = await makeAccount(identity, { email: transaction.email });
  await requestVerification(identity, transaction, account.sessionId);
  const { linkPath } = await readMail(identity, transaction.email);
  return { transaction, account, linkPath: linkPath ?? "" };
}

const follow = (path: string, init: RequestInit = {}) => fetch(identity.pagesUrl + path, init);

/** The error code in a response for the gateway. */
function hasFailed(response: Response): boolean {
  return response.status === 500 && response.headers.get("x-platform-error") !== null;
}

describe("an emailed link", () => {
  test("verifies an address once and responds with JSON to programs, and refuses a replay", async () => {
    const { linkPath, transaction, account } = await mailedLink();
    const first = await follow(linkPath);
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({ data: { status: "verified" } });
    expect(hasFailed(await follow(linkPath))).toBe(true);
    expect((await link(identity, transaction, account.sessionId)).transaction?.status).toBe("link_pending");
  });

  test("verifies once when a link is followed 30 times concurrently", async () => {
    const { linkPath } = await mailedLink();
    const answers = await Promise.all(Array.from({ length: 30 }, () => follow(linkPath)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("does not consume a link on HEAD by an email scanner", async () => {
    const { linkPath, transaction, account } = await mailedLink();
    const dead = linkPath.replace(/[0-9a-f]{64}$/, "0".repeat(64));
    for (const accept of ["text/html", "*/*"]) {
      const looked = await follow(linkPath, { method: "HEAD", headers: { accept } });
      const lookedAtDead = await follow(dead, { method: "HEAD", headers: { accept } });
      expect([looked.status, lookedAtDead.status]).toEqual([200, 200]);
    }
    expect(await refusal(link(identity, transaction, account.sessionId))).toBe("email_not_verified");
    expect((await follow(linkPath)).status).toBe(200);
  });

  test("returns a page to browsers, and an error page for an unusable link", async () => {
    const { linkPath } = await mailedLink();
    const browser = openBrowser(identity);
    expect((await browser.get(linkPath)).html).toContain("<h1>Email address confirmed</h1>");
    const replayed = await browser.get(linkPath);
    expect(replayed.status).toBe(422);
    expect(replayed.html).toContain("This confirmation link cannot be used");
  });

  test("invalidates a link when the next one is sent", async () => {
    const { linkPath, transaction, account } = await mailedLink();
    identity.clock.advanceSeconds(31);
    await requestVerification(identity, transaction, account.sessionId);
    const { linkPath: newer } = await readMail(identity, transaction.email, 2);
    expect(newer).not.toBe(linkPath);
    expect(hasFailed(await follow(linkPath))).toBe(true);
    expect((await follow(newer ?? "")).status).toBe(200);
  });

  test("accepts a verification link for an hour", async () => {
    const { linkPath } = await mailedLink();
    identity.clock.advanceSeconds(3601);
    expect(hasFailed(await follow(linkPath))).toBe(true);
  });

  test("refuses the link of one transaction for another", async () => {
    const { linkPath } = await mailedLink();
    const other = await makeTransaction(identity);
    const token = linkPath.split("/").at(-1);
    const moved = `/api/v1/identity-migration-transactions/${other.id}/verify-email/${token}`;
    expect(hasFailed(await follow(moved))).toBe(true);
    expect((await follow(linkPath)).status).toBe(200);
  });

  test("returns contract_violation for a malformed id or token", async () => {
    const base = "/api/v1/identity-migration-transactions";
    expect(hasFailed(await follow(`${base}/not-a-uuid/verify-email/${"0".repeat(64)}`))).toBe(true);
    expect(hasFailed(await follow(`${base}/01900000-0000-7000-8000-000000000000/verify-email/short`))).toBe(true);
  });
});

describe("asking for a link", () => {
  test("refuses to send a link for an account without the asserted address, an old session or a wrong flow_token", async () => {
    const transaction = await makeTransaction(identity);
    const stranger = await makeAccount(identity);
    expect(await refusal(requestVerification(identity, transaction, stranger.sessionId))).toBe("email_not_owned");
    const owner = await makeAccount(identity, { email: transaction.email });
    const stale = await openSession(identity, owner.accountId, 601);
    expect(await refusal(requestVerification(identity, transaction, stale.sessionId))).toBe(
      "recent_authentication_required",
    );
    const wrong = { ...transaction, flowToken: "0".repeat(64) };
    expect(await refusal(requestVerification(identity, wrong, owner.sessionId))).toBe("flow_token_invalid");
    expect(await identity.sink.messages({ channel: "email", to: transaction.email })).toEqual([]);
  });

  test("invalidates the emailed link on a new request, and sends the newest one 30 seconds after the last email", async () => {
    const { transaction, account, linkPath } = await mailedLink();
    await requestVerification(identity, transaction, account.sessionId);
    await requestVerification(identity, transaction, account.sessionId);
    expect(hasFailed(await follow(linkPath))).toBe(true);
    await makeAnotherMailArrive();
    expect(await identity.sink.messages({ channel: "email", to: transaction.email })).toHaveLength(1);
    identity.clock.advanceSeconds(31);
    const { linkPath: newest } = await readMail(identity, transaction.email, 2);
    expect((await follow(newest ?? "")).status).toBe(200);
    await makeAnotherMailArrive();
    expect(await identity.sink.messages({ channel: "email", to: transaction.email })).toHaveLength(2);
  });

  test("accepts ten of thirty concurrent requests for an email and rejects the rest", async () => {
    const transaction = await makeTransaction(identity);
    const { sessionId } = await makeAccount(identity, { email: transaction.email });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => refusal(requestVerification(identity, transaction, sessionId))),
    );
    expect(answers.filter((answer) => answer === "let in")).toHaveLength(10);
    expect(answers.filter((answer) => answer === "verification_limit_reached")).toHaveLength(20);
    await readMail(identity, transaction.email);
    identity.clock.advanceSeconds(31);
    // If the worker ran after the last request, the newest link is in the first email, otherwise in the second.
    await eventually(async () => {
      const mails = await identity.sink.messages({ channel: "email", to: transaction.email });
      const link = /\/api\S+\/verify-email\/[0-9a-f]{64}/.exec(mails.at(-1)?.parsed.text ?? "")?.[0] ?? "";
      return (await follow(link)).status === 200;
    });
  });

  test("rejects a request as expired if its email would be sent after the transaction's end", async () => {
    const transaction = await makeTransaction(identity, { expiresInSeconds: 61 });
    const { sessionId } = await makeAccount(identity, { email: transaction.email });
    identity.clock.advanceSeconds(40);
    await requestVerification(identity, transaction, sessionId);
    await readMail(identity, transaction.email);
    expect(await refusal(requestVerification(identity, transaction, sessionId))).toBe(
      "identity_migration_transaction_expired",
    );
  });

  test("refuses a request for an ended transaction", async () => {
    const { transaction, account } = await mailedLink();
    identity.clock.advanceSeconds(24 * 60 * 60);
    const { sessionId } = await openSession(identity, account.accountId);
    expect(await refusal(requestVerification(identity, transaction, sessionId))).toBe(
      "identity_migration_transaction_expired",
    );
  });

  test("ignores case and surrounding white space when it compares addresses", async () => {
    const transaction = await makeTransaction(identity, { email: "Mixed.Case@Example.COM" });
    const owner = await makeAccount(identity, { email: "mixed.case@example.com" });
    await requestVerification(identity, transaction, owner.sessionId);
    const { linkPath } = await readMail(identity, "mixed.case@example.com");
    expect((await follow(linkPath ?? "")).status).toBe(200);
  });
});

describe("an address with an internationalized domain", () => {
  test("matches an internationalized address to the account that has its ASCII form", async () => {
    const transaction = await makeTransaction(identity, { email: "Person@例え.テスト" });
    const owner = await makeAccount(identity, { email: "person@xn--r8jz45g.xn--zckzah" });
    await requestVerification(identity, transaction, owner.sessionId);
    // The mail server displays domains in their Unicode form.
    const { linkPath } = await readMail(identity, "person@例え.テスト");
    expect((await follow(linkPath ?? "")).status).toBe(200);
  });

  test("matches an address stored in its Unicode form", async () => {
    const owner = await makeAccount(identity, { email: "earlier@xn--r8jz45g.xn--zckzah" });
    const mongo = await MongoClient.connect(identity.mongo.uri);
    await mongo
      .db(identity.mongo.database)
      .collection<{ _id: string }>("platform_accounts")
      .updateOne({ _id: owner.accountId }, { $set: { "login_identifiers.0.email": "earlier@例え.テスト" } });
    await mongo.close();
    const transaction = await makeTransaction(identity, { email: "earlier@xn--r8jz45g.xn--zckzah" });
    expect(await refusal(requestVerification(identity, transaction, owner.sessionId))).toBe("let in");
    for (const email of ["earlier@xn--r8jz45g.xn--zckzah", "earlier@例え.テスト"]) {
      expect(await refusal(makeAccount(identity, { email }))).toBe("login_identifier_taken");
    }
  });
});

describe("the email with a link", () => {
  test("queues email without a worker, and sends it when a worker starts", async () => {
    await identity.stopWorker();
    const transaction = await makeTransaction(identity);
    const account = await makeAccount(identity, { email: transaction.email });
    await requestVerification(identity, transaction, account.sessionId);
    expect(await identity.sink.messages({ channel: "email", to: transaction.email })).toEqual([]);
    await identity.startWorker();
    expect((await readMail(identity, transaction.email)).linkPath).not.toBeNull();
  });

  test("retries the same email with text and HTML parts after a temporary failure", async () => {
    const transaction = await makeTransaction(identity);
    const account = await makeAccount(identity, { email: transaction.email });
    identity.sink.setFault({ channel: "email", to: transaction.email, status: 451, times: 1 });
    await requestVerification(identity, transaction, account.sessionId);
    const { message } = await readMail(identity, transaction.email, 2);
    const [refused] = await identity.sink.messages({ channel: "email", to: transaction.email });
    expect(refused?.answered_status).toBe(451);
    expect(message.answered_status).toBe(250);
    expect(message.parsed.text).toContain("/verify-email/");
    expect(message.parsed.html).toContain("/verify-email/");
    expect(message.parsed.messageId ?? message.headers["message-id"]).toMatch(/^<?[0-9a-f-]{36}@/);
  });

  test("gives up an email when the server rejects the address permanently", async () => {
    const transaction = await makeTransaction(identity);
    const account = await makeAccount(identity, { email: transaction.email });
    identity.sink.setFault({ channel: "email", to: transaction.email, status: 550, times: 5 });
    await requestVerification(identity, transaction, account.sessionId);
    await identity.sink.messages({ channel: "email", to: transaction.email, waitMs: 20_000 });
    await makeAnotherMailArrive();
    expect(await identity.sink.messages({ channel: "email", to: transaction.email })).toHaveLength(1);
    identity.sink.clearFaults();
  });
});

/** Waits for another email to arrive, which happens after everything that was in progress. */
async function makeAnotherMailArrive(): Promise<void> {
  const { transaction } = await mailedLink();
  await readMail(identity, transaction.email);
}
