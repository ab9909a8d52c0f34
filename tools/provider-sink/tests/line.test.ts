import { randomUUID } from "node:crypto";
import { HTTPFetchError, messagingApi } from "@line/bot-sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ProviderSink, startProviderSink } from "../src/index.ts";

const user = `U${"0f".repeat(16)}`;
const message = { type: "text" as const, text: "Your code is 123456" };

let sink: ProviderSink;
beforeAll(async () => {
  sink = await startProviderSink();
});
beforeEach(() => sink.clear());
afterAll(() => sink.close());

function push(
  body: Partial<messagingApi.PushMessageRequest> = {},
  retryKey?: string,
  channelAccessToken = "channel-token",
) {
  const client = new messagingApi.MessagingApiClient({ channelAccessToken, baseURL: sink.lineBaseUrl });
  return client.pushMessageWithHttpInfo({ to: user, messages: [message], ...body }, retryKey);
}

/** Returns the rejection as the SDK reports it. */
async function refusal(sent: Promise<unknown>) {
  const error = await sent.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HTTPFetchError)) throw new Error(`expected a refusal, got ${error}`);
  return { status: error.status, headers: error.headers, body: JSON.parse(error.body) };
}

describe("a push message", () => {
  it("accepts a push with the ids of its messages", async () => {
    const { httpResponse, body } = await push();
    expect(httpResponse.headers.get("x-line-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.sentMessages).toEqual([{ id: expect.stringMatching(/^\d+$/), quoteToken: expect.any(String) }]);
    expect(await sink.messages({ channel: "line", to: user })).toMatchObject([
      { answered_status: 200, parsed: { to: user, messages: [message] } },
    ]);
  });

  it("rejects the same retry key again with 409 and the id of the accepted request", async () => {
    const retryKey = randomUUID();
    const first = await push({}, retryKey);
    const again = await refusal(push({}, retryKey));
    expect(again.status).toBe(409);
    expect(again.body).toEqual({ message: "The retry key is already accepted", sentMessages: first.body.sentMessages });
    expect(again.headers.get("x-line-accepted-request-id")).toBe(first.httpResponse.headers.get("x-line-request-id"));
  });

  it("keeps the retry key of a failed push usable, and consumes it when only the response was lost", async () => {
    const retryKey = randomUUID();
    sink.setFault({ channel: "line", kind: "internal" });
    expect((await refusal(push({}, retryKey))).status).toBe(500);
    sink.setFault({ channel: "line", drop: "before" });
    await expect(push({}, retryKey)).rejects.toThrow();
    sink.setFault({ channel: "line", drop: "after" });
    await expect(push({}, retryKey)).rejects.toThrow();
    expect((await refusal(push({}, retryKey))).status).toBe(409);
    const statuses = (await sink.messages({ to: user })).map(({ answered_status }) => answered_status);
    expect(statuses).toEqual([500, null, 200, 409]);
  });

  it("responds to a push without a channel access token with 401", async () => {
    const response = await fetch(`${sink.lineBaseUrl}/v2/bot/message/push`, { method: "POST", body: "{}" });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      message: "Authentication failed. Confirm that the access token in the authorization header is valid.",
    });
  });

  it.each([
    ["a retry key that is no UUID", {}, "again"],
    ["a recipient that is no LINE id", { to: "ann" }, undefined],
  ])("responds to a push with %s with 400", async (_name, body, retryKey) => {
    expect((await refusal(push(body, retryKey))).status).toBe(400);
  });

  it.each([
    ["an empty text", [{ ...message, text: "" }], "messages[0].text"],
    ["no message", [], "messages"],
    ["six messages", Array(6).fill(message), "messages"],
    ["a text of 5,001 characters", [message, { ...message, text: "x".repeat(5001) }], "messages[1].text"],
  ])("responds to a push with %s with 400 and names the property", async (_name, messages, property) => {
    expect(await refusal(push({ messages }))).toMatchObject({
      status: 400,
      body: { message: "The request body has 1 error(s)", details: [{ property, message: expect.any(String) }] },
    });
  });
});

describe("faults", () => {
  it.each([
    ["bad_request", 400, "The request body has 1 error(s)"],
    ["invalid_recipient", 400, "The property, 'to', in the request body is invalid (line: -, column: -)"],
    ["unauthorized", 401, expect.stringContaining("Authentication failed")],
    ["forbidden", 403, "Access to this API is not available for your account"],
    ["retry_key_accepted", 409, "The retry key is already accepted"],
    ["too_many_requests", 429, expect.stringContaining("rate limit")],
    ["monthly_limit", 429, "You have reached your monthly limit."],
    ["internal", 500, expect.any(String)],
  ])("responds to %s with %i", async (kind, status, text) => {
    sink.setFault({ channel: "line", to: user, kind });
    expect(await refusal(push())).toMatchObject({ status, body: { message: text } });
    expect((await push()).httpResponse.status).toBe(200);
  });
});
