import { createECDH } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readChannelConfig, readStoredConfig, SenderProfileConfigInvalid } from "./sender-profile.ts";

const email = (more: object) => JSON.stringify({ from: "Shop <shop@s.example>", ...more });

describe("the sender of an email profile", () => {
  it.each([
    "Acme: News <news@s.example>",
    '5" Pizza <p@s.example>',
    "News; daily <n@s.example>",
    "I <3 you <n@s.example>",
  ])("accepts %s as the sender and as reply_to", (text) => {
    expect(readChannelConfig("email", email({ from: text, reply_to: text })).config).toMatchObject({ from: text });
  });

  it.each([
    ["from", { from: "a@s.example, b@s.example" }],
    ["from", { from: "News: a@s.example;" }],
    ["from", { from: "Shop" }],
    ["reply_to", { reply_to: "a@s.example, b@s.example" }],
    ["reply_to", { reply_to: "Shop <äb@s.example>" }],
    ["from", { from: "Shop <a@s.example>\nBcc: x@s.example" }],
  ])("rejects a configuration whose %s is %j", (field, more) => {
    expect(() => readChannelConfig("email", email(more))).toThrow(SenderProfileConfigInvalid);
    expect(() => readChannelConfig("email", email(more))).toThrow(field);
  });

  it("still opens a configuration that an earlier version stored", () => {
    expect(readStoredConfig("email", email({ from: "root@local_host" })).config).toMatchObject({
      from: "root@local_host",
    });
  });
});

describe("the VAPID subject of a web_push profile", () => {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  const keys = { public_key: ecdh.getPublicKey("base64url"), private_key: ecdh.getPrivateKey("base64url") };
  const read = (subject: string) => () => readChannelConfig("web_push", JSON.stringify({ ...keys, subject }));

  it.each([
    "mailto:ops@shop.example",
    "mailto:%22a..b%22@shop.example",
    "https://shop.example",
    "https://shop.example/contact?x=1#y",
    "https://xn--bcher-kva.example/",
  ])("accepts the VAPID subject %s", (subject) => {
    expect(read(subject)).not.toThrow();
  });

  it.each([
    "ops@shop.example",
    "mailto:",
    "mailto:ops",
    "MAILTO:ops@shop.example",
    "mailto:ops@localhost",
    "mailto: ops@shop.example",
    "mailto:<ops@shop.example>",
    "mailto:Ops <ops@shop.example>",
    "mailto:a@shop.example,b@shop.example",
    "mailto:ops@shop.example?subject=x",
    "mailto:ops@bücher.example",
    "mailto:%ZZ@shop.example",
    "http://shop.example",
    "https://",
    "https://user:password@shop.example",
    "https://bücher.example",
    "https://shop.example/a b",
    "tel:+81312345678",
  ])("refuses the VAPID subject %j", (subject) => {
    expect(read(subject)).toThrow(/subject: must be/);
  });
});
