import { generateKeyPairSync } from "node:crypto";
import { defined } from "@platform/kit/process/fields";
import { JWT } from "google-auth-library";
import { SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ProviderSink, startProviderSink } from "../src/index.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const fcmErrorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError";

let sink: ProviderSink;
let accessToken: string;
beforeAll(async () => {
  sink = await startProviderSink();
  accessToken = await fetchAccessToken();
});
beforeEach(() => sink.clear());
afterAll(() => sink.close());

/** Gets an access token through Google's own client, whose fixed token URL is redirected to the sink. */
async function fetchAccessToken(): Promise<string> {
  const client = new JWT({
    email: "sender@project.iam.gserviceaccount.com",
    key,
    scopes: ["https://www.googleapis.com/auth/firebase.messaging"],
  });
  client.transporter.interceptors.request.add({
    resolved: async (config) => {
      if (config.url.href === "https://oauth2.googleapis.com/token") config.url = new URL(sink.fcmTokenUrl);
      return config;
    },
  });
  const { token } = await client.getAccessToken();
  return token ?? "";
}

function send(message: unknown, authorization: string | null = `Bearer ${accessToken}`) {
  return fetch(`${sink.fcmBaseUrl}/v1/projects/demo/messages:send`, {
    method: "POST",
    headers: { "content-type": "application/json", ...defined({ authorization }) },
    body: JSON.stringify({ message }),
  });
}

async function exchange(
  claims: Record<string, unknown>,
  alg = "RS256",
  grant = "urn:ietf:params:oauth:grant-type:jwt-bearer",
) {
  const secret = alg === "RS256" ? privateKey : Buffer.alloc(32, 1);
  const assertion = await new SignJWT(claims).setProtectedHeader({ alg }).sign(secret);
  const response = await fetch(sink.fcmTokenUrl, {
    method: "POST",
    body: new URLSearchParams({ grant_type: grant, assertion }),
  });
  return { status: response.status, body: await response.json() };
}

describe("sending", () => {
  it("returns the message's name for a token from google-auth-library, and keeps the body", async () => {
    const response = await send({ token: "device-1", notification: { title: "Hi" }, data: { type: "x" } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      name: expect.stringMatching(/^projects\/demo\/messages\/0:\d+%[0-9a-f]{16}$/),
    });
    expect(await sink.messages({ channel: "fcm", to: "device-1" })).toMatchObject([
      { answered_status: 200, parsed: { message: { token: "device-1", data: { type: "x" } } } },
    ]);
  });

  it.each([
    ["missing", null, "CREDENTIALS_MISSING"],
    ["unknown", "Bearer ya29.made-up", "ACCESS_TOKEN_TYPE_UNSUPPORTED"],
  ])("responds to a %s bearer with 401 UNAUTHENTICATED and records it", async (_name, authorization, reason) => {
    const response = await send({ token: "device-1" }, authorization);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      error: { code: 401, status: "UNAUTHENTICATED", details: [{ reason, domain: "googleapis.com" }] },
    });
    expect(await sink.messages({ to: "device-1" })).toMatchObject([{ answered_status: 401 }]);
  });

  it.each([
    ["no target", { data: {} }, "message"],
    ["an unknown field", { token: "t", nope: 1 }, "message"],
    ["a data value that is no text", { token: "t", data: { ok: "1", count: 2 } }, "message.data[1].value"],
  ])("responds to %s with 400 and a BadRequest that does not name the token", async (_name, message, field) => {
    const response = await send(message);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        status: "INVALID_ARGUMENT",
        details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field }] }],
      },
    });
  });

  it("refuses a message of more than 4096 bytes", async () => {
    const response = await send({ token: "t", data: { big: "x".repeat(4096) } });
    expect(await response.json()).toMatchObject({ error: { code: 400, message: "Message is too big" } });
  });
});

describe("token endpoint", () => {
  const now = Math.floor(Date.now() / 1000);
  const good = { iss: "a@b", aud: "https://oauth2.googleapis.com/token", iat: now, exp: now + 3600 };

  it("accepts any service-account key", async () => {
    expect(await exchange(good)).toEqual({
      status: 200,
      body: { access_token: expect.stringMatching(/^ya29\./), expires_in: 3599, token_type: "Bearer" },
    });
  });

  it.each([
    ["no issuer", { ...good, iss: undefined }],
    ["no audience", { ...good, aud: undefined }],
    ["no expiry", { ...good, exp: undefined }],
    ["an expiry in the past", { ...good, iat: now - 7200, exp: now - 3600 }],
    ["a lifetime above one hour", { ...good, exp: now + 7200 }],
  ])("refuses an assertion with %s", async (_name, claims) => {
    expect(await exchange(claims)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("refuses another algorithm and another grant", async () => {
    expect(await exchange(good, "HS256")).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await exchange(good, "RS256", "password")).toMatchObject({ body: { error: "unsupported_grant_type" } });
  });

  it.each([
    ["token_invalid_grant", 400],
    ["token_unavailable", 503],
  ])("responds to a token request with the fault %s, and records no message", async (kind, status) => {
    sink.setFault({ channel: "fcm", kind });
    expect((await send({ token: "t" })).status).toBe(200);
    expect((await exchange(good)).status).toBe(status);
    expect((await exchange(good)).status).toBe(200);
  });
});

describe("faults", () => {
  it.each([
    ["unregistered", 404, "NOT_FOUND", "UNREGISTERED"],
    ["invalid_token", 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"],
    ["third_party_auth_error", 401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"],
    ["sender_id_mismatch", 403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"],
    ["quota_exceeded", 429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"],
    ["internal", 500, "INTERNAL", "INTERNAL"],
    ["unavailable", 503, "UNAVAILABLE", "UNAVAILABLE"],
  ])("responds to %s with %i %s and FcmError %s", async (kind, code, status, errorCode) => {
    sink.setFault({ channel: "fcm", to: "t", kind });
    const response = await send({ token: "t" });
    expect(response.status).toBe(code);
    expect(await response.json()).toMatchObject({
      error: { code, status, details: [{ "@type": fcmErrorType, errorCode }] },
    });
    expect((await send({ token: "t" })).status).toBe(200);
    expect(await sink.messages({ to: "t" })).toMatchObject([{ answered_status: code }, { answered_status: 200 }]);
  });

  it.each([
    ["bad_request", 400, "INVALID_ARGUMENT"],
    ["unauthenticated", 401, "UNAUTHENTICATED"],
  ])("responds to %s with %i %s and no FcmError", async (kind, code, status) => {
    sink.setFault({ channel: "fcm", kind });
    const body = await (await send({ token: "t" })).json();
    expect(body).toMatchObject({ error: { code, status } });
    expect(JSON.stringify(body)).not.toContain(fcmErrorType);
  });

  it("returns Google's body for a bare status, and accepts custom headers and body", async () => {
    sink.setFault({ channel: "fcm", status: 429, headers: { "Retry-After": 7 } });
    const limited = await send({ token: "t" });
    expect(limited.headers.get("retry-after")).toBe("7");
    expect(await limited.json()).toMatchObject({ error: { status: "RESOURCE_EXHAUSTED" } });
    sink.setFault({ channel: "fcm", status: 502, body: "<html>Bad Gateway</html>" });
    expect(await (await send({ token: "t" })).text()).toBe("<html>Bad Gateway</html>");
  });

  it.each([
    ["before", null],
    ["after", 200],
  ] as const)("drops the connection %s without a response and leaves %s on record", async (drop, answered) => {
    sink.setFault({ channel: "fcm", drop });
    await expect(send({ token: "t" })).rejects.toThrow();
    expect(await sink.messages({ to: "t" })).toMatchObject([{ answered_status: answered }]);
  });

  it("records a message while its response hangs", async () => {
    sink.setFault({ channel: "fcm", delay_ms: 600_000 });
    const gaveUp = new AbortController();
    const sent = fetch(`${sink.fcmBaseUrl}/v1/projects/demo/messages:send`, {
      method: "POST",
      headers: { authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ message: { token: "slow" } }),
      signal: gaveUp.signal,
    });
    expect(await sink.messages({ to: "slow", waitMs: 10_000 })).toHaveLength(1);
    gaveUp.abort();
    await expect(sent).rejects.toThrow(/abort/i);
  });

  it("releases delayed responses once the faults are removed", async () => {
    sink.setFault({ channel: "fcm", delay_ms: 600_000 });
    const sent = send({ token: "held" });
    expect(await sink.messages({ to: "held", waitMs: 10_000 })).toHaveLength(1);
    sink.clearFaults();
    expect((await sent).status).toBe(200);
  });
});
