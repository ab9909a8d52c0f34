import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, makeContinuation, openBrowser, pages } from "./hosted-browser.ts";
import {
  link,
  type MadeTransaction,
  makeAccount,
  makeTransaction,
  password,
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

const disable = ({ clientId }: Pick<MadeTransaction, "clientId">) =>
  identity.clients.disableProjectClient({ projectClientId: clientId }, callAs(null));
const enable = ({ clientId }: Pick<MadeTransaction, "clientId">) =>
  identity.clients.enableProjectClient({ projectClientId: clientId }, callAs(null));

/** A transaction whose address its account owns, and the path of the link that was emailed there. */
async function mailedLink() {
  const transaction = await makeTransaction(identity);
  const account = await makeAccount(identity, { email: transaction.email });
  await requestVerification(identity, transaction, account.sessionId);
  const { linkPath } = await readMail(identity, transaction.email);
  return { transaction, account, linkPath: linkPath ?? "" };
}

describe("a disabled Project Client", () => {
  test("shows every hosted page as not available, and ignores forms", async () => {
    const transaction = await makeTransaction(identity);
    await makeAccount(identity, { email: transaction.email, verified: true });
    const browser = openBrowser(identity);
    await begin(identity, browser, transaction);
    expect((await browser.submit("sign-in", { email: transaction.email, password })).at).toBe(`${pages}/confirm`);
    await disable(transaction);
    const shown = [
      await browser.submit("confirm"),
      ...(await Promise.all(
        ["sign-in", "register", "reauthenticate", "verify-email", "confirm"].map((page) =>
          browser.get(`${pages}/${page}`),
        ),
      )),
    ];
    for (const { status, html } of shown) {
      expect(status).toBe(403);
      expect(html).toContain("The project is not available");
    }
    expect(await statusOf(identity, transaction)).toBe("pending");
    await enable(transaction);
    await browser.get(`${pages}/confirm`);
    expect((await browser.submit("confirm")).at).toContain("status=link_pending");
  });

  test("binds no browser to a disabled client's continuation", async () => {
    const transaction = await makeTransaction(identity);
    const continuation = await makeContinuation(identity, transaction);
    await disable(transaction);
    const early = openBrowser(identity);
    expect((await early.post(`${pages}/continue`, continuation)).html).toContain("The project is not available");
    expect(early.cookies.size).toBe(0);
    await enable(transaction);
    expect((await openBrowser(identity).post(`${pages}/continue`, continuation)).at).toBe(`${pages}/sign-in`);
  });

  test("does not consume a disabled client's emailed links", async () => {
    const { transaction, account, linkPath } = await mailedLink();
    await disable(transaction);
    expect((await openBrowser(identity).get(linkPath)).html).toContain("The project is not available");
    expect((await fetch(identity.pagesUrl + linkPath)).headers.get("x-platform-error")).not.toBeNull();
    await enable(transaction);
    expect((await fetch(identity.pagesUrl + linkPath)).status).toBe(200);
    expect((await link(identity, transaction, account.sessionId)).transaction?.status).toBe("link_pending");
  });

  test("treats a disabled client's transactions as not found for signed-in people", async () => {
    const { transaction, account } = await mailedLink();
    await disable(transaction);
    const absent = "identity_migration_transaction_not_found";
    expect(await refusal(link(identity, transaction, account.sessionId))).toBe(absent);
    expect(await refusal(requestVerification(identity, transaction, account.sessionId))).toBe(absent);
    await enable(transaction);
    expect(await refusal(requestVerification(identity, transaction, account.sessionId))).toBe("let in");
  });

  test("postpones a disabled client's verification emails", async () => {
    await identity.stopWorker();
    const transaction = await makeTransaction(identity);
    const { sessionId } = await makeAccount(identity, { email: transaction.email });
    await requestVerification(identity, transaction, sessionId);
    await disable(transaction);
    await identity.startWorker();
    const { transaction: other } = await mailedLink();
    await readMail(identity, other.email);
    expect(await identity.sink.messages({ channel: "email", to: transaction.email })).toEqual([]);
    await enable(transaction);
    identity.clock.advanceSeconds(31);
    expect((await readMail(identity, transaction.email)).linkPath).not.toBeNull();
  });

  test("includes a disabled client in the list that services read", async () => {
    const clientIds = [await makeClient(identity), await makeClient(identity), await makeClient(identity)];
    for (const clientId of clientIds) await disable({ clientId });
    const listed: string[] = [];
    for (let afterId = ""; ; afterId = listed.at(-1) ?? "") {
      const page = await identity.authentication.listDisabledProjectClients({ afterId, pageSize: 2 }, callAs(null));
      if (page.projectClientIds.length === 0) break;
      listed.push(...page.projectClientIds);
    }
    expect(listed).toEqual([...listed].sort());
    expect(listed).toEqual(expect.arrayContaining(clientIds));
    await enable({ clientId: clientIds[0] ?? "" });
    const { projectClientIds } = await identity.authentication.listDisabledProjectClients({}, callAs(null));
    expect(projectClientIds).not.toContain(clientIds[0]);
  });
});
