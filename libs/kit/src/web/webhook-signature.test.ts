import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { isSigningSecret, signatureHeaders } from "./webhook-signature.ts";

const body = '{"name":"été \u{1f511}"}';

describe("signatures", () => {
  test("signs with the UTF-8 bytes of a plain-text secret", () => {
    const ascii = "a secret of thirty-two characters.";
    const headers = signatureHeaders([ascii], "inv_1", new Date(), body);
    expect(new Webhook(ascii, { format: "raw" }).verify(body, headers)).toEqual(JSON.parse(body));
    // If the secret is a string, the library reads one byte per character. For text in other scripts, a receiver must
    // pass the UTF-8 bytes instead.
    const other = "もう少し長い秘密、三十二文字以上でなければならない、これでよい。";
    const key = new TextEncoder().encode(other);
    const signed = signatureHeaders([other], "inv_1", new Date(), body);
    expect(new Webhook(key, { format: "raw" }).verify(body, signed)).toEqual(JSON.parse(body));
  });

  test.each([24, 31, 32, 64])("signs with the base64 bytes of a whsec_ secret of %d bytes", (bytes) => {
    const secret = `whsec_${randomBytes(bytes).toString("base64")}`;
    const headers = signatureHeaders([secret], "inv_1", new Date(), body);
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });

  test("fails verification of an altered body", () => {
    const secret = "a secret of thirty-two characters.";
    const headers = signatureHeaders([secret], "inv_1", new Date(), body);
    expect(() => new Webhook(secret, { format: "raw" }).verify(`${body} `, headers)).toThrow();
  });
});

describe("isSigningSecret", () => {
  test.each([
    ["plain text, whatever it holds: %%% -- ü", true],
    [`whsec_${"A".repeat(32)}`, true],
    ["whsec_not-base64-not-base64-not-base64", false],
    [`whsec_${"A".repeat(33)}`, false],
    ["whsec_", false],
  ])("checks the key of the secret %s: %s", (secret, isOne) => expect(isSigningSecret(secret)).toBe(isOne));
});
