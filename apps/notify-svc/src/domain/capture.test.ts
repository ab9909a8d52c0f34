import { describe, expect, test } from "vitest";
import { capturedNotification, defaultMode, testRecipientOf } from "./capture.ts";

test("captures messages in a sandbox and sends them elsewhere if the profile does not specify a mode", () => {
  expect(["development", "sandbox", "staging", "production", ""].map(defaultMode)).toEqual([
    "send",
    "capture",
    "send",
    "send",
    "send",
  ]);
});

describe("a test recipient", () => {
  test.each(["delivered", "bounced", "complained", "slow"] as const)(
    "recognizes %s@sandbox.invalid as a test recipient of email",
    (name) => {
      expect(testRecipientOf("email", `${name}@sandbox.invalid`, "development")).toBe(name);
      expect(testRecipientOf("email", `${name}@sandbox.invalid`, "sandbox")).toBe(name);
    },
  );

  test.each([
    ["email", "bounced@sandbox.invalid.example"],
    ["email", "x-bounced@sandbox.invalid"],
    ["email", "ann@sandbox.invalid"],
    ["fcm", "bounced@sandbox.invalid"],
    ["fcm", "un-dead-token-of-a-device"],
    ["line", "dead-token-of-a-user-of-line"],
    ["web_push", "dead-token-of-a-browser"],
  ] as const)("does not recognize %s %s as a test recipient", (channel, address) => {
    expect(testRecipientOf(channel, address, "development")).toBeNull();
  });

  test.each(["fcm", "apns"] as const)("recognizes a token of %s that begins with dead- or throttled-", (channel) => {
    expect(testRecipientOf(channel, "dead-token-of-a-device", "sandbox")).toBe("dead");
    expect(testRecipientOf(channel, "throttled-token-of-a-device", "development")).toBe("throttled");
  });

  test.each(["staging", "production", ""])("treats a test recipient like any other in %s", (environment) => {
    expect(testRecipientOf("email", "bounced@sandbox.invalid", environment)).toBeNull();
    expect(testRecipientOf("fcm", "dead-token-of-a-device", environment)).toBeNull();
  });
});

test("keeps the payload that a captured push would have had", () => {
  const content = { subject: "Title", text: "Body", html: null, push: null };
  const more = { deliveryId: "d", unsubscribeUrl: null, headers: {} };
  expect(capturedNotification("apns", content, more).payload).toMatchObject({
    aps: { alert: { title: "Title", body: "Body" } },
  });
  expect(capturedNotification("fcm", content, more).payload).toMatchObject({ notification: { title: "Title" } });
  expect(capturedNotification("web_push", content, more).payload).toMatchObject({ title: "Title", body: "Body" });
  expect(capturedNotification("line", content, more).payload).toEqual({ text: "Title\nBody" });
});
