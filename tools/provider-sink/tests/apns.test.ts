import { generateKeyPairSync, randomUUID } from "node:crypto";
import http2 from "node:http2";
import { SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ProviderSink, startProviderSink } from "../src/index.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const device = "ab".repeat(32);
const nowSeconds = Math.floor(Date.now() / 1000);

let sink: ProviderSink;
let goodToken: string;
beforeAll(async () => {
  sink = await startProviderSink();
  goodToken = await providerToken({});
});
beforeEach(() => sink.clear());
afterAll(() => sink.close());

function providerToken({
  iat = nowSeconds,
  kid = "KEY1234567" as string | undefined,
  iss = "TEAM123456" as string | undefined,
}) {
  return new SignJWT({ iat, ...(iss ? { iss } : {}) })
    .setProtectedHeader({ alg: "ES256", ...(kid ? { kid } : {}) })
    .sign(privateKey);
}

type Answer = { status: number; headers: http2.IncomingHttpHeaders; body: unknown };

/** Sends one push over its own HTTP/2 connection. A header that is undefined is omitted. */
async function push(
  headers: Record<string, string | undefined> = {},
  payload = JSON.stringify({ aps: { alert: "Hi" } }),
  url = sink.apnsBaseUrl,
): Promise<Answer> {
  const session = http2.connect(url, { ca: sink.caCertificatePem });
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  session.on("error", reject);
  session.on("close", () => reject(new Error("connection closed without an answer")));
  const all = {
    ":method": "POST",
    ":path": `/3/device/${device}`,
    authorization: `bearer ${goodToken}`,
    "apns-topic": "com.example.app",
    "apns-push-type": "alert",
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const request = session.request(given);
  request.on("error", reject);
  request.on("response", async (responseHeaders) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    resolve({ status: Number(responseHeaders[":status"]), headers: responseHeaders, body: text && JSON.parse(text) });
  });
  request.end(payload);
  return promise.finally(() => session.close());
}

describe("a push", () => {
  it.each(["apnsBaseUrl", "apnsTlsBaseUrl"] as const)("accepts a push over %s with an apns-id", async (name) => {
    const answer = await push({}, undefined, sink[name]);
    expect(answer).toMatchObject({
      status: 200,
      body: "",
      headers: { "apns-id": expect.stringMatching(/^[0-9A-F-]{36}$/) },
    });
    expect(await sink.messages({ channel: "apns", to: device })).toMatchObject([
      { answered_status: 200, headers: { "apns-topic": "com.example.app" }, parsed: { aps: { alert: "Hi" } } },
    ]);
  });

  it("returns the push's own apns-id", async () => {
    const id = randomUUID();
    expect((await push({ "apns-id": id })).headers["apns-id"]).toBe(id);
  });

  it.each([
    ["without a provider token", { authorization: undefined }, 403, "MissingProviderToken"],
    ["with a token that is no JWT", { authorization: "bearer x.y.z" }, 403, "InvalidProviderToken"],
    ["without a topic", { "apns-topic": undefined }, 400, "MissingTopic"],
    ["with an unknown push type", { "apns-push-type": "shout" }, 400, "InvalidPushType"],
    ["with an apns-id that is no UUID", { "apns-id": "7" }, 400, "BadMessageId"],
    ["with a priority of 3", { "apns-priority": "3" }, 400, "BadPriority"],
    ["with an expiration that is no number", { "apns-expiration": "soon" }, 400, "BadExpirationDate"],
    ["with a collapse id of 65 bytes", { "apns-collapse-id": "c".repeat(65) }, 400, "BadCollapseId"],
    ["to a token that is no hex", { ":path": "/3/device/nope" }, 400, "BadDeviceToken"],
    ["to another path", { ":path": "/4/device/x" }, 404, "BadPath"],
    ["by another method", { ":method": "PUT" }, 405, "MethodNotAllowed"],
  ])("refuses %s", async (_name, headers, status, reason) => {
    expect(await push(headers)).toMatchObject({ status, body: { reason } });
  });

  it.each([
    ["older than an hour", { iat: nowSeconds - 3700 }, "ExpiredProviderToken"],
    ["from the future", { iat: nowSeconds + 3600 }, "InvalidProviderToken"],
    ["without a key id", { kid: "" }, "InvalidProviderToken"],
    ["without a team", { iss: "" }, "InvalidProviderToken"],
  ])("refuses a push with a provider token %s", async (_name, claims, reason) => {
    const authorization = `bearer ${await providerToken(claims)}`;
    expect(await push({ authorization })).toMatchObject({ status: 403, body: { reason } });
  });

  it("rejects a push of more than 4096 bytes, and an empty one", async () => {
    const payload = JSON.stringify({ aps: {}, big: "x".repeat(4096) });
    expect(await push({}, payload)).toMatchObject({ status: 413, body: { reason: "PayloadTooLarge" } });
    expect(await push({}, "")).toMatchObject({ status: 400, body: { reason: "PayloadEmpty" } });
  });
});

it("rejects a provider token renewed within 20 minutes when the sink is configured to", async () => {
  const strict = await startProviderSink({ refuseFrequentApnsTokens: true });
  expect(await push({}, undefined, strict.apnsBaseUrl)).toMatchObject({ status: 200 });
  const authorization = `bearer ${await providerToken({ iat: nowSeconds - 5 })}`;
  expect(await push({ authorization }, undefined, strict.apnsBaseUrl)).toMatchObject({
    status: 429,
    body: { reason: "TooManyProviderTokenUpdates" },
  });
  expect(await push({}, undefined, strict.apnsBaseUrl)).toMatchObject({ status: 200 });
  await strict.close();
});

describe("faults", () => {
  it.each([
    ["bad_device_token", 400, "BadDeviceToken"],
    ["device_token_not_for_topic", 400, "DeviceTokenNotForTopic"],
    ["bad_topic", 400, "BadTopic"],
    ["expired_provider_token", 403, "ExpiredProviderToken"],
    ["invalid_provider_token", 403, "InvalidProviderToken"],
    ["missing_provider_token", 403, "MissingProviderToken"],
    ["payload_too_large", 413, "PayloadTooLarge"],
    ["too_many_requests", 429, "TooManyRequests"],
    ["too_many_provider_token_updates", 429, "TooManyProviderTokenUpdates"],
    ["internal_server_error", 500, "InternalServerError"],
    ["service_unavailable", 503, "ServiceUnavailable"],
    ["shutdown", 503, "Shutdown"],
  ])("responds to %s with %i %s", async (kind, status, reason) => {
    sink.setFault({ channel: "apns", kind });
    expect(await push()).toMatchObject({ status, body: { reason } });
    expect(await push()).toMatchObject({ status: 200 });
  });

  it.each([
    ["unregistered", "Unregistered"],
    ["expired_token", "ExpiredToken"],
  ])("responds to %s with 410 %s and the time of the first failure", async (kind, reason) => {
    sink.setFault({ channel: "apns", to: device, kind });
    expect(await push()).toMatchObject({ status: 410, body: { reason, timestamp: expect.any(Number) } });
  });

  it.each([
    ["before", null],
    ["after", 200],
  ] as const)("drops the connection %s and leaves %s on record", async (drop, answered) => {
    sink.setFault({ channel: "apns", drop });
    await expect(push()).rejects.toThrow();
    expect(await sink.messages({ to: device })).toMatchObject([{ answered_status: answered }]);
    expect(await push()).toMatchObject({ status: 200 });
  });
});
