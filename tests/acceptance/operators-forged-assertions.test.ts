import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "@platform/contracts/services";
import { runCtl } from "@platform/stack/run-ctl";
import { describe, expect, it } from "vitest";
import { newVisitor } from "./console-person.ts";
import { acceptanceStack, ctl } from "./stack.ts";

const { directory } = acceptanceStack;

/**
 * Returns the key with which identity-svc signs assertions. An attacker does not have it; using it here ensures that each assertion is wrong only in the
 * tested way.
 */
function signingKey(): { key: KeyObject; kid: string } {
  const secrets = JSON.parse(readFileSync(join(directory, "secrets.json"), "utf8"));
  const seed = Buffer.from(
    hkdfSync("sha256", Buffer.from(secrets.serviceKeys.identity, "base64"), "", "operator-assertions", 32),
  );
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const { crv, kty, x } = createPublicKey(key).export({ format: "jwk" });
  // SHA-256 over the required members in lexicographic order (RFC 7638).
  return { key, kid: createHash("sha256").update(JSON.stringify({ crv, kty, x })).digest("base64url") };
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const own = signingKey();
const stranger = generateKeyPairSync("ed25519").privateKey;

function assertionOf(claims: object = {}, header: object = {}, key: KeyObject | null = own.key): string {
  const payload = {
    iss: "identity-svc",
    aud: "operator-plane",
    sub: "mallory",
    name: "Mallory",
    roles: ["viewer"],
    iat: nowSeconds(),
    exp: nowSeconds() + 600,
    ...claims,
  };
  const text = `${part({ alg: "EdDSA", typ: "operator+jwt", kid: own.kid, ...header })}.${part(payload)}`;
  return `${text}.${key === null ? "" : sign(null, Buffer.from(text), key).toString("base64url")}`;
}

/** Combines the payload of one assertion with the signature of another. */
function altered(): string {
  const [header, , signature] = assertionOf().split(".");
  const [, payload] = assertionOf({ roles: ["root"] }).split(".");
  return `${header}.${payload}.${signature}`;
}

const attacks: readonly (readonly [string, () => string])[] = [
  ["signed with another key", () => assertionOf({ roles: ["root"] }, {}, stranger)],
  [
    "signed with a key that it brings along",
    () =>
      assertionOf(
        { roles: ["root"] },
        { jwk: createPublicKey(stranger).export({ format: "jwk" }), kid: "mine" },
        stranger,
      ),
  ],
  ["of algorithm none", () => assertionOf({ roles: ["root"] }, { alg: "none" }, null)],
  ["whose role was altered", altered],
  ["for another audience", () => assertionOf({ aud: "gateway" })],
  ["of another issuer", () => assertionOf({ iss: "mallory" })],
  ["of another kind of token", () => assertionOf({}, { typ: "JWT" })],
  ["that has expired", () => assertionOf({ iat: nowSeconds() - 700, exp: nowSeconds() - 100 })],
  ["that never expires", () => assertionOf({ iat: nowSeconds() - 86_400, exp: nowSeconds() + 86_400 })],
  ["without roles", () => assertionOf({ roles: undefined })],
];

/** One RPC that only reads, for each service with operator RPCs. */
const reads: Partial<Record<ServiceName, readonly string[]>> = {
  identity: ["clients", "list", "--limit", "1"],
  files: ["image-presets", "list", "--limit", "1"],
  notify: ["sender-profiles", "list", "--client", acceptanceStack.projectClientId],
  events: ["schedules", "list", "--client", acceptanceStack.projectClientId],
  ads: ["campaigns", "list", "--limit", "1"],
};

const asBearer = (assertion: string, args: readonly string[]): Promise<string> =>
  runCtl(directory, args, { OPERATOR_TOKEN: assertion }).then(
    () => "ok",
    (error: Error) => error.message,
  );

describe.each(Object.entries(reads))("%s-svc", (_service, args) => {
  it("accepts the unchanged assertion that the attacks are based on", async () => {
    expect(await asBearer(assertionOf(), args)).toBe("ok");
  });

  it.each(attacks)("refuses an assertion %s", async (_what, forge) => {
    expect(await asBearer(forge(), args)).toMatch(/^platformctl: unauthenticated: /);
  });
});

it("grants an assertion only its roles, whatever the command line or headers claim", async () => {
  const create = ["clients", "create", "--name", "forged", "--environment", "development"];
  expect(await asBearer(assertionOf(), create)).toMatch(/^platformctl: permission_denied: /);
  expect(await asBearer(assertionOf({ roles: ["viewer", "admin"] }), create)).toMatch(
    /^platformctl: permission_denied: /,
  );
  expect(JSON.stringify(await ctl(["clients", "list"]))).not.toContain('"forged"');
});

it("opens no page of the console with an assertion, even a genuine one, because browsers need a session", async () => {
  const assertion = assertionOf({ roles: ["root"] });
  for (const headers of [{ authorization: `Bearer ${assertion}` }, { cookie: `console=${assertion}` }]) {
    const reply = await newVisitor().get("/clients", headers);
    expect([reply.status, reply.headers.get("location")]).toEqual([303, "/sign-in?to=%2Fclients"]);
  }
});
