import { importJWK, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import webPush, { type PushSubscription, type RequestOptions } from "web-push";
import { type ProviderSink, startProviderSink } from "../src/index.ts";

const vapid = webPush.generateVAPIDKeys();
const payload = JSON.stringify({ title: "Заголовок", body: "Your code is 123456" });

let sink: ProviderSink;
let subscription: PushSubscription;
beforeAll(async () => {
  sink = await startProviderSink();
});
beforeEach(async () => {
  sink.clear();
  subscription = await subscribe();
});
afterAll(() => sink.close());

async function subscribe(body?: unknown): Promise<PushSubscription> {
  const response = await fetch(`${sink.webPushBaseUrl}/subscriptions`, {
    method: "POST",
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return response.json() as Promise<PushSubscription>;
}

/** Sends a request that the web-push library has created (encryption, VAPID, headers) to the sink over plain HTTP. */
function send(
  options: RequestOptions = {},
  headers: Record<string, string | undefined> = {},
  content: string | Buffer = payload,
) {
  const vapidDetails = { subject: "mailto:ops@project.example", ...vapid };
  const details = webPush.generateRequestDetails(subscription, content, { vapidDetails, TTL: 60, ...options });
  const all = { ...details.headers, ...headers };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return fetch(details.endpoint, {
    method: "POST",
    headers: given,
    body: details.body as Uint8Array<ArrayBuffer> | null,
  });
}

async function vapidHeader(claims: Record<string, unknown>, k = vapid.publicKey): Promise<string> {
  const point = Buffer.from(vapid.publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const key = await importJWK({ kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "", d: vapid.privateKey }, "ES256");
  const t = await new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "JWT" }).sign(key);
  return `vapid t=${t}, k=${k}`;
}

describe("a message", () => {
  it("decrypts a message of the web-push library with the subscription's keys", async () => {
    const response = await send({ urgency: "high", topic: "verify" });
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toMatch(`${sink.webPushBaseUrl}/messages/`);
    const [message] = await sink.messages({ channel: "web_push", to: subscription.endpoint });
    expect(message).toMatchObject({
      answered_status: 201,
      headers: { ttl: "60", urgency: "high", topic: "verify", "content-encoding": "aes128gcm" },
      parsed: JSON.parse(payload),
    });
    expect(Buffer.from(message?.raw ?? "", "base64url").includes("123456")).toBe(false);
  });

  it("returns the text of a decrypted message that is not JSON", async () => {
    await send({}, {}, "plain words");
    expect(await sink.messages({ to: subscription.endpoint })).toMatchObject([{ parsed: "plain words" }]);
  });

  it("accepts a message to a subscription with foreign keys, and keeps its bytes", async () => {
    subscription = { ...subscription, endpoint: new URL("/made/elsewhere", sink.webPushBaseUrl).href };
    expect((await send()).status).toBe(201);
    const [message] = await sink.messages({ channel: "web_push", to: subscription.endpoint });
    expect(message).toMatchObject({ answered_status: 201, parsed: null });
    expect(Buffer.from(message?.raw ?? "", "base64url").length).toBeGreaterThan(100);
    expect((await send({}, { Authorization: undefined })).status).toBe(401);
  });

  it("reports a message encrypted for another subscription as unreadable", async () => {
    const other = await subscribe();
    subscription = { ...subscription, keys: other.keys };
    expect((await send()).status).toBe(201);
    expect(await sink.messages({ to: subscription.endpoint })).toMatchObject([
      { parsed: { decryption_error: expect.any(String) } },
    ]);
  });

  it.each([
    ["no TTL", { TTL: undefined }, 111],
    ["a TTL that is no number", { TTL: "soon" }, 112],
    ["a topic of 33 characters", { Topic: "t".repeat(33) }, 113],
    ["another content encoding", { "Content-Encoding": "aesgcm" }, 110],
  ])("responds to a message with %s with 400", async (_name, headers, errno) => {
    const response = await send({}, headers);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 400, errno });
  });

  it("responds to a message above 4096 bytes with 413", async () => {
    expect((await send({}, {}, "x".repeat(4096))).status).toBe(413);
  });

  it("responds to a removed subscription with 410, an unknown one with 404", async () => {
    expect((await fetch(subscription.endpoint, { method: "DELETE" })).status).toBe(204);
    expect((await send()).status).toBe(410);
    subscription = { ...subscription, endpoint: `${sink.webPushBaseUrl}/push/unknown` };
    expect((await send()).status).toBe(404);
    expect(await sink.messages({ channel: "web_push" })).toMatchObject([
      { answered_status: 410 },
      { answered_status: 404 },
    ]);
  });
});

describe("VAPID", () => {
  const hour = 3600;
  const inHours = (hours: number) => Math.floor(Date.now() / 1000) + hours * hour;

  it("responds to a missing VAPID header with 401", async () => {
    const response = await send({}, { Authorization: undefined });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("vapid");
  });

  it("accepts a VAPID token good for 12 hours twice", async () => {
    const Authorization = await vapidHeader({
      aud: new URL(sink.httpUrl).origin,
      exp: inHours(12),
      sub: "mailto:a@b.example",
    });
    expect((await send({}, { Authorization })).status).toBe(201);
    expect((await send({}, { Authorization })).status).toBe(201);
  });

  it.each([
    ["for another audience", () => ({ aud: "https://push.example", exp: inHours(1) })],
    ["without an audience", () => ({ exp: inHours(1) })],
    ["that is expired", () => ({ aud: sink.httpUrl, exp: inHours(-1) })],
    ["good for more than 24 hours", () => ({ aud: sink.httpUrl, exp: inHours(25) })],
    ["without an expiry", () => ({ aud: sink.httpUrl })],
    ["with a subject that is no contact", () => ({ aud: sink.httpUrl, exp: inHours(1), sub: "ann" })],
  ])("responds to %s with 403", async (_name, claims) => {
    expect((await send({}, { Authorization: await vapidHeader(claims()) })).status).toBe(403);
  });

  it("responds to a VAPID token signed by another key with 403", async () => {
    const claims = { aud: sink.httpUrl, exp: inHours(1) };
    const Authorization = await vapidHeader(claims, webPush.generateVAPIDKeys().publicKey);
    expect((await send({}, { Authorization })).status).toBe(403);
  });

  it("responds to a VAPID key other than the subscription's with 403", async () => {
    subscription = await subscribe({ applicationServerKey: vapid.publicKey });
    expect((await send()).status).toBe(201);
    subscription = await subscribe({ applicationServerKey: webPush.generateVAPIDKeys().publicKey });
    expect((await send()).status).toBe(403);
  });
});

describe("faults", () => {
  it.each([
    ["unauthorized", 401],
    ["forbidden", 403],
    ["not_found", 404],
    ["gone", 410],
    ["payload_too_large", 413],
    ["too_many_requests", 429],
    ["internal", 500],
    ["unavailable", 503],
  ])("responds to %s with %i", async (kind, status) => {
    sink.setFault({ channel: "web_push", to: subscription.endpoint, kind });
    const response = await send();
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: status, errno: expect.any(Number) });
    expect((await send()).status).toBe(201);
  });

  it("records an accepted message when the connection drops after acceptance", async () => {
    sink.setFault({ channel: "web_push", drop: "after" });
    await expect(send()).rejects.toThrow();
    expect(await sink.messages({ to: subscription.endpoint })).toMatchObject([{ answered_status: 201 }]);
  });
});
