import { createLogger } from "@platform/kit/process/telemetry";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeContinuation, openBrowser, pages } from "./hosted-browser.ts";
import { confirm, makeAccount, makeTransaction, password, readMail, requestVerification } from "./migration-steps.ts";
import { startIdentity, type TestIdentity } from "./start-identity.ts";

const logLines: string[] = [];
let identity: TestIdentity;
beforeAll(async () => {
  const destination = { write: (line: string) => void logLines.push(line) };
  identity = await startIdentity({}, createLogger("identity-svc", "trace", destination));
});
afterAll(() => identity.close());

/** Everything in the database, as text. */
async function dumpDatabase(): Promise<string> {
  const client = await MongoClient.connect(identity.mongo.uri);
  const database = client.db(identity.mongo.database);
  const collections = await database.listCollections().toArray();
  const dumps = await Promise.all(collections.map(({ name }) => database.collection(name).find().toArray()));
  await client.close();
  return JSON.stringify(dumps);
}

test("stores and logs no token, code or password during a whole flow", async () => {
  const transaction = await makeTransaction(identity);
  const continuation = await makeContinuation(identity, transaction);
  const browser = openBrowser(identity);
  const urls: string[] = [];
  const visit = async (shown: Promise<{ at: string; html: string }>): Promise<string> => {
    const { at, html } = await shown;
    urls.push(at);
    return html;
  };
  await visit(browser.post(`${pages}/continue`, continuation));
  const formToken = /name="form_token" value="([0-9a-f]{64})"/.exec(await visit(browser.get(`${pages}/register`)))?.[1];
  await visit(browser.submit("register", { password }));
  // The database is read while the email is being sent and again afterwards, because a token must not be stored at
  // any moment.
  const during = await dumpDatabase();
  const mail = await readMail(identity, transaction.email);
  await visit(browser.submit("verify-email", { code: mail.code ?? "" }));
  await visit(browser.submit("confirm"));
  await confirm(identity, transaction);
  // Also uses the other kind of verification, and one that fails, so that error paths write to the log.
  const other = await makeTransaction(identity);
  const owner = await makeAccount(identity, { email: other.email });
  identity.sink.setFault({ channel: "email", to: other.email, status: 451, times: 1 });
  await requestVerification(identity, other, owner.sessionId);
  const otherMail = await readMail(identity, other.email, 2);
  const followed = await fetch(`${identity.pagesUrl}${otherMail.linkPath}`);
  expect(followed.status).toBe(200);
  await fetch(`${identity.pagesUrl}${otherMail.linkPath}`);

  // A person resets a forgotten password. The link is opened and used, and rejected after it was consumed.
  const forgetful = openBrowser(identity);
  await forgetful.post(`${pages}/continue`, await makeContinuation(identity, await makeTransaction(identity)));
  await forgetful.get(`${pages}/forgot-password`);
  await visit(forgetful.submit("forgot-password", { email: owner.email }));
  const [, , resetMail] = await identity.sink.messages({ channel: "email", to: owner.email, count: 3, waitMs: 20_000 });
  const resetToken = /reset-password\/([0-9a-f]{64})/.exec(resetMail?.parsed.text)?.[1] ?? "";
  await forgetful.get(`${pages}/reset-password/${resetToken}`);
  const newPassword = "seven purple umbrellas";
  await visit(forgetful.submit("reset-password", { token: resetToken, password: newPassword }));
  expect((await forgetful.get(`${pages}/reset-password/${resetToken}`)).status).toBe(422);

  const secretOf = (token: string): string => token.split(/[_.]/).at(-1) ?? "";
  const secrets = {
    password,
    flowToken: transaction.flowToken,
    continuationToken: continuation.continuation_token,
    browserSecret: secretOf(browser.cookies.get("platform_continuation") ?? ""),
    sessionSecret: secretOf(browser.cookies.get("platform_session") ?? ""),
    operatorSessionSecret: secretOf(owner.sessionToken),
    formToken: formToken ?? "",
    resetToken,
    newPassword,
    otherLinkToken: otherMail.linkPath?.split("/").at(-1) ?? "",
    serviceKey: identity.settings.SERVICE_KEY,
    serviceKeyHex: Buffer.from(identity.settings.SERVICE_KEY, "base64").toString("hex"),
    operatorToken: identity.settings.OPERATOR_TOKEN,
  };
  const places = { during, after: await dumpDatabase(), log: logLines.join(""), urls: urls.join("\n") };
  expect(places.log).not.toBe("");
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThanOrEqual(16);
    for (const [place, text] of Object.entries(places))
      expect(text.includes(secret), `${name} in ${place}`).toBe(false);
  }
  // Six digits may occur inside any longer number, so the code is searched for as a separate value.
  const code = new RegExp(`(?<![0-9a-z.-])${mail.code}(?![0-9a-z.-])`, "i");
  for (const [place, text] of Object.entries(places)) expect(code.test(text), `code in ${place}`).toBe(false);
});
