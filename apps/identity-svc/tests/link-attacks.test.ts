import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  confirm,
  link,
  makeAccount,
  makeTransaction,
  openSession,
  readMail,
  refusal,
  requestVerification,
  statusOf,
} from "./migration-steps.ts";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

/** A transaction, and an account whose address was verified afterwards, so that all preconditions of a link are met. */
async function readyToLink(options: { legacySubject?: string; clientId?: string } = {}) {
  const transaction = await makeTransaction(identity, options);
  return { transaction, account: await makeAccount(identity, { verified: true }) };
}

describe("linking an account", () => {
  test("refuses an email verified before the transaction was created", async () => {
    const account = await makeAccount(identity, { verified: true });
    identity.clock.advanceSeconds(1);
    const transaction = await makeTransaction(identity);
    const { sessionId } = await openSession(identity, account.accountId);
    expect(await refusal(link(identity, transaction, sessionId))).toBe("email_not_verified");
    expect(await statusOf(identity, transaction)).toBe("pending");
  });

  test("refuses an email that was never verified", async () => {
    const transaction = await makeTransaction(identity);
    const account = await makeAccount(identity);
    expect(await refusal(link(identity, transaction, account.sessionId))).toBe("email_not_verified");
  });

  test("refuses an email verified by another account", async () => {
    const transaction = await makeTransaction(identity);
    const owner = await makeAccount(identity, { email: transaction.email });
    const thief = await makeAccount(identity);
    await requestVerification(identity, transaction, owner.sessionId);
    const { linkPath } = await readMail(identity, transaction.email);
    expect((await fetch(`${identity.pagesUrl}${linkPath}`)).status).toBe(200);
    expect(await refusal(link(identity, transaction, thief.sessionId))).toBe("email_not_verified");
    expect((await link(identity, transaction, owner.sessionId)).transaction?.accountId).toBe(owner.accountId);
  });

  test("refuses evidence that was recorded for another transaction", async () => {
    const clientId = await makeClient(identity);
    const first = await makeTransaction(identity, { clientId });
    const account = await makeAccount(identity, { email: first.email });
    await requestVerification(identity, first, account.sessionId);
    const { linkPath } = await readMail(identity, first.email);
    await fetch(`${identity.pagesUrl}${linkPath}`);
    const second = await makeTransaction(identity, { clientId, email: first.email });
    expect(await refusal(link(identity, second, account.sessionId))).toBe("email_not_verified");
  });

  test("refuses the flow_token of another transaction", async () => {
    const { transaction, account } = await readyToLink();
    const other = await makeTransaction(identity);
    expect(await refusal(link(identity, transaction, account.sessionId, other.flowToken))).toBe("flow_token_invalid");
    expect(await statusOf(identity, transaction)).toBe("pending");
  });

  test("refuses the right flow_token after ten concurrent wrong ones", async () => {
    const { transaction, account } = await readyToLink();
    const wrong = "0".repeat(64);
    const codes = await Promise.all(
      Array.from({ length: 30 }, () => refusal(link(identity, transaction, account.sessionId, wrong))),
    );
    expect(codes.filter((code) => code === "flow_token_invalid")).toHaveLength(10);
    expect(codes.filter((code) => code === "flow_token_locked")).toHaveLength(20);
    expect(await refusal(link(identity, transaction, account.sessionId))).toBe("flow_token_locked");
  });

  test("refuses a session whose password was entered too long ago, and a revoked session", async () => {
    const { transaction, account } = await readyToLink();
    const stale = await openSession(identity, account.accountId, 601);
    expect(await refusal(link(identity, transaction, stale.sessionId))).toBe("recent_authentication_required");
    await identity.accounts.revokeSession({ sessionId: account.sessionId }, callAs(null));
    expect(await refusal(link(identity, transaction, account.sessionId))).toBe("unauthenticated");
    expect(await statusOf(identity, transaction)).toBe("pending");
  });

  test("refuses a second account once a first one is linked, and lets the first one repeat its request", async () => {
    const { transaction, account } = await readyToLink();
    const second = await makeAccount(identity, { verified: true });
    await link(identity, transaction, account.sessionId);
    expect(await refusal(link(identity, transaction, second.sessionId))).toBe("account_already_linked");
    const again = await link(identity, transaction, account.sessionId);
    expect(again.transaction).toMatchObject({ status: "link_pending", accountId: account.accountId });
  });

  test("refuses an expired transaction, which stays expired", async () => {
    const transaction = await makeTransaction(identity, { expiresInSeconds: 60 });
    const linked = await makeTransaction(identity, { expiresInSeconds: 60 });
    const account = await makeAccount(identity, { verified: true });
    await link(identity, linked, account.sessionId);
    identity.clock.advanceSeconds(61);
    const { sessionId } = await openSession(identity, account.accountId);
    expect(await refusal(link(identity, transaction, sessionId))).toBe("identity_migration_transaction_expired");
    expect(await refusal(confirm(identity, linked))).toBe("identity_migration_transaction_expired");
    expect(await statusOf(identity, linked)).toBe("expired");
  });

  test("refuses a transaction that does not exist", async () => {
    const { account, transaction } = await readyToLink();
    const absent = { ...transaction, id: "01900000-0000-7000-8000-000000000000" };
    expect(await refusal(link(identity, absent, account.sessionId))).toBe("identity_migration_transaction_not_found");
  });
});

describe("concurrent requests to link and to confirm", () => {
  test("links one account and refuses the other if two accounts send 50 concurrent requests", async () => {
    const { transaction, account } = await readyToLink();
    const rival = await makeAccount(identity, { verified: true });
    const tries = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { accountId, sessionId } = index % 2 === 0 ? account : rival;
        try {
          const reply = await link(identity, transaction, sessionId);
          return { accountId, linkedTo: reply.transaction?.accountId };
        } catch (error) {
          return { accountId, linkedTo: (error as { code: string }).code };
        }
      }),
    );
    const winner = tries.find(({ accountId, linkedTo }) => accountId === linkedTo)?.accountId;
    expect([account.accountId, rival.accountId]).toContain(winner);
    for (const { accountId, linkedTo } of tries) {
      expect(linkedTo).toBe(accountId === winner ? winner : "account_already_linked");
    }
  });

  test("executes one transition for 50 concurrent confirmations, and gives all the same response", async () => {
    const { transaction, account } = await readyToLink();
    await link(identity, transaction, account.sessionId);
    const before = await transitionsTo("completed");
    const replies = await Promise.all(Array.from({ length: 50 }, () => confirm(identity, transaction)));
    expect((await transitionsTo("completed")) - before).toBe(1);
    expect(new Set(replies.map((reply) => JSON.stringify(reply.transaction, bigintAsText))).size).toBe(1);
    expect(replies[0]?.transaction).toMatchObject({ status: "completed", accountId: account.accountId });
  });

  test("completes a legacy subject once, whichever transaction confirms first", async () => {
    const clientId = await makeClient(identity);
    const rivals = await Promise.all(
      Array.from({ length: 5 }, () => readyToLink({ clientId, legacySubject: "the-same-subject" })),
    );
    for (const { transaction, account } of rivals) await link(identity, transaction, account.sessionId);
    const outcomes = await Promise.all(rivals.map(({ transaction }) => refusal(confirm(identity, transaction))));
    expect(outcomes.toSorted()).toEqual([...Array(4).fill("account_already_linked"), "let in"]);
    const elsewhere = await readyToLink({ legacySubject: "the-same-subject" });
    await link(identity, elsewhere.transaction, elsewhere.account.sessionId);
    expect((await confirm(identity, elsewhere.transaction)).transaction?.status).toBe("completed");
  });
});

test("repeats link and confirm after a crash between them", async () => {
  const { transaction, account } = await readyToLink();
  await link(identity, transaction, account.sessionId);
  // The response was lost, so the person and the project repeat their requests with the same data.
  expect((await link(identity, transaction, account.sessionId)).transaction?.status).toBe("link_pending");
  await confirm(identity, transaction);
  expect((await confirm(identity, transaction)).transaction?.status).toBe("completed");
  expect((await link(identity, transaction, account.sessionId)).transaction?.accountId).toBe(account.accountId);
});

test("refuses to confirm a pending transaction, and reports another Project Client's transaction as not found", async () => {
  const { transaction, account } = await readyToLink();
  expect(await refusal(confirm(identity, transaction))).toBe("identity_migration_state_conflict");
  await link(identity, transaction, account.sessionId);
  const stranger = { ...transaction, clientId: await makeClient(identity) };
  expect(await refusal(confirm(identity, stranger))).toBe("identity_migration_transaction_not_found");
  expect(await statusOf(identity, transaction)).toBe("link_pending");
});

/** Number of transitions into a state that the server has counted. */
async function transitionsTo(state: string): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${identity.server.probePort}/metrics`)).text();
  const line = new RegExp(`^platform_identity_transitions_total\\{[^}]*to="${state}"[^}]*\\} (\\d+)`, "m").exec(
    metrics,
  );
  return Number(line?.[1] ?? 0);
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
