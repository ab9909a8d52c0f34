import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { pemOf } from "./profile-secret.ts";

const { privateKey } = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

it.each([
  ["without its lines, as a password field sends it", privateKey.replaceAll("\n", "")],
  ["with spaces in the place of its lines", privateKey.replaceAll("\n", " ").trim()],
  ["as the JSON of a service account has it", privateKey.replaceAll("\n", "\\n")],
])("restores a PEM key that arrives %s", (_how, text) => {
  expect(pemOf(text)).toBe(privateKey);
});

it("leaves other secrets unchanged", () => {
  expect(pemOf("smtps://user:password@mail.example:465")).toBe("smtps://user:password@mail.example:465");
});
