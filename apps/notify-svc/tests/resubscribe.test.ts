import { eventually } from "@platform/test-kit/eventually";
import { startTestIdentity } from "@platform/test-kit/identity";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finished, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

const minuteMs = 60_000;
let mongo: Awaited<ReturnType<typeof startTestMongo>>;
let redis: Awaited<ReturnType<typeof startTestRedis>>;
let identity: Awaited<ReturnType<typeof startTestIdentity>>;
let stack: NotifyStack;
beforeAll(async () => {
  mongo = await startTestMongo();
  redis = await startTestRedis();
  identity = await startTestIdentity(mongo, redis.url);
  stack = await startNotifyStack({ env: { REDIS_URL: redis.url, IDENTITY_GRPC: identity.address } });
  await Promise.all([stack.startWorker(), stack.startWorker()]);
});
afterAll(async () => {
  await stack.close();
  await identity.close();
  await redis.close();
  await mongo.close();
});

const post = (url: string, headers: Record<string, string> = {}) => fetch(url, { method: "POST", headers });
const mailsTo = (address: string, count = 0) =>
  stack.sink.messages({ channel: "email", to: address, ...(count === 0 ? {} : { count, waitMs: 15_000 }) });
/** The link to this platform in an email, as its reader opens it. */
const linkIn = (text: string): string =>
  stack.httpUrl + (/https:\/\/gateway\.example(\/api\/v1\/unsubscribe\/[0-9a-z/]+)/.exec(text)?.[1] ?? "no link");

/** A person who received news and has unsubscribed from them. */
async function unsubscribedPerson() {
  const { clientId, profileId } = await prepareClient(stack, "email", {}, await identity.createClient());
  const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId);
  const ids = { clientId, profileId, endpointId };
  const sendNews = () => send(stack, "email", ids, { marketingPurpose: "news" });
  await finished(stack, clientId, await sendNews());
  const [mail] = await mailsTo(address, 1);
  const link = linkIn(mail?.headers["list-unsubscribe"] ?? "");
  const done = await (await post(link)).text();
  return { ...ids, address, link, done, sendNews };
}

describe("a person who wants to receive emails again", () => {
  it("restores consent by the link in an email that the unsubscribe page offers", async () => {
    const { clientId, address, link, done, sendNews } = await unsubscribedPerson();
    await expect(sendNews()).rejects.toMatchObject({ code: "consent_withdrawn" });
    const action = /<form method="post" action="([0-9a-f]{64}\/resubscribe)">/.exec(done)?.[1] ?? "no form";
    expect((await post(new URL(action, link).href)).status).toBe(200);
    const [, mail] = await mailsTo(address, 2);
    expect(mail?.parsed).toMatchObject({ subject: "Confirm that you want to receive these emails again" });
    expect(mail?.headers["list-unsubscribe"]).toBeUndefined();
    const confirm = linkIn(mail?.parsed.text ?? "");
    const page = await fetch(confirm);
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await page.text();
    expect(text).toContain('<form method="post">');
    expect(text).not.toContain("<script");
    // Opening the page, as email scanners do, grants no consent.
    await expect(sendNews()).rejects.toMatchObject({ code: "consent_withdrawn" });
    expect(await (await post(confirm)).text()).toContain("You are subscribed again");
    expect(await finished(stack, clientId, await sendNews())).toMatchObject({ status: "sent" });
  });

  it("sends the email and shows the pages in Japanese when the browser requests it", async () => {
    const { address, link } = await unsubscribedPerson();
    const headers = { "accept-language": "ja" };
    expect(await (await post(`${link}/resubscribe`, headers)).text()).toContain("メールをご確認ください");
    const [, mail] = await mailsTo(address, 2);
    expect(mail?.parsed).toMatchObject({ subject: "メール配信再開の確認" });
    expect(await (await fetch(linkIn(mail?.parsed.text ?? ""), { headers })).text()).toContain('<html lang="ja">');
  });

  it("returns the same page whether or not the link and the consent exist", async () => {
    const { address, link } = await unsubscribedPerson();
    const pages = [
      link,
      link,
      `${stack.httpUrl}/api/v1/unsubscribe/${"0".repeat(64)}`,
      `${stack.httpUrl}/api/v1/unsubscribe/x`,
    ];
    const answers = [];
    for (const page of pages) {
      const response = await post(`${page}/resubscribe`);
      answers.push([response.status, await response.text()]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await mailsTo(address, 2);
  });

  it("sends one email for many concurrent requests, and another after five minutes", async () => {
    const { address, link } = await unsubscribedPerson();
    await Promise.all(Array.from({ length: 20 }, () => post(`${link}/resubscribe`)));
    const [, first] = await mailsTo(address, 2);
    stack.advance(5 * minuteMs);
    await post(`${link}/resubscribe`);
    const mails = await mailsTo(address, 3);
    expect(mails).toHaveLength(3);
    // The newer link replaces the earlier one.
    expect((await post(linkIn(first?.parsed.text ?? ""))).status).toBe(404);
    expect((await post(linkIn(mails[2]?.parsed.text ?? ""))).status).toBe(200);
  });
});

describe("the link that restores consent", () => {
  async function mailedLink() {
    const person = await unsubscribedPerson();
    await post(`${person.link}/resubscribe`);
    const [, mail] = await mailsTo(person.address, 2);
    return { ...person, confirm: linkIn(mail?.parsed.text ?? "") };
  }

  it("restores consent once, so that a replayed link does not undo a later unsubscription", async () => {
    const { confirm, link, sendNews } = await mailedLink();
    const answers = await Promise.all([post(confirm), post(confirm), post(confirm)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    await post(link);
    expect((await post(confirm)).status).toBe(404);
    await expect(sendNews()).rejects.toMatchObject({ code: "consent_withdrawn" });
  });

  it("refuses the link after a day", async () => {
    const { confirm, sendNews } = await mailedLink();
    stack.advance(24 * 60 * minuteMs);
    expect((await fetch(confirm)).status).toBe(404);
    expect((await post(confirm)).status).toBe(404);
    await expect(sendNews()).rejects.toMatchObject({ code: "consent_withdrawn" });
  });

  it("stores the token only as a hash", async () => {
    const { confirm, endpointId } = await mailedLink();
    const driver = await MongoClient.connect(stack.mongo.uri);
    const endpoints = driver.db(stack.mongo.database).collection<{ _id: string }>("delivery_endpoints");
    const stored = JSON.stringify(await endpoints.findOne({ _id: endpointId }));
    expect(stored).toContain("token_hash");
    expect(stored).not.toContain(confirm.slice(-64));
    await driver.close();
  });

  it("reports the project as unavailable while its client is disabled, without consuming the link", async () => {
    const { clientId, confirm } = await mailedLink();
    await identity.disableClient(clientId);
    await eventually(async () => (await fetch(confirm)).status === 403, { what: "the client disabled" });
    expect((await post(confirm)).status).toBe(403);
    expect(await (await fetch(confirm)).text()).toContain("currently unavailable");
    await identity.enableClient(clientId);
    await eventually(async () => (await fetch(confirm)).status === 200, { what: "the client enabled" });
    expect((await post(confirm)).status).toBe(200);
  });
});
