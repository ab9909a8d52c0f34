import { createHmac, generateKeyPairSync, randomBytes } from "node:crypto";
import { exportJWK, type JSONWebKeySet, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { createAssertionSigner, verifyAssertion } from "./assertions.ts";

const now = new Date("2026-11-24T12:00:00Z");
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const kid = "test";
let keys: JSONWebKeySet;

beforeAll(async () => {
  keys = { keys: [{ ...(await exportJWK(publicKey)), kid }] };
});

const goodHeader: JWTHeaderParameters = { alg: "EdDSA", typ: "operator+jwt", kid };
const goodPayload: JWTPayload = {
  iss: "identity-svc",
  aud: "operator-plane",
  sub: "ann",
  name: "Ann",
  roles: ["viewer"],
  iat: now.getTime() / 1000,
  exp: now.getTime() / 1000 + 600,
};
const sign = (
  payload: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
  key = privateKey,
): Promise<string> =>
  new SignJWT({ ...goodPayload, ...payload }).setProtectedHeader({ ...goodHeader, ...header }).sign(key);
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const verify = (assertion: string, at: Date = now) => verifyAssertion(assertion, async () => keys, at);

describe("the assertions of the signer", () => {
  it("names the operator, their roles and reason in an assertion", async () => {
    const signer = await createAssertionSigner({ current: randomBytes(32), previous: [] });
    const claims = {
      subject: "ann",
      name: "Ann Ö",
      roles: ["support", "operator"],
      sessionId: "s1",
      signedInAt: now,
      reason: "ticket 7",
      requestId: "r1",
      via: "mcp",
      onlyClientId: "0193a1b2-0000-7000-8000-00000000000a",
    } as const;
    const { assertion, expiresAt } = await signer.sign(claims, now);
    expect(expiresAt).toEqual(later(600));
    expect(await verifyAssertion(assertion, async () => signer.keys, later(599))).toEqual({
      subject: "ann",
      name: "Ann Ö",
      roles: ["support", "operator"],
      memberships: [],
      reason: "ticket 7",
      isBreakGlass: false,
      sessionId: "s1",
      signedInAtMs: now.getTime(),
      expiresAtMs: later(600).getTime(),
      via: "mcp",
      onlyClientId: "0193a1b2-0000-7000-8000-00000000000a",
    });
  });

  it("accepts assertions until they expire across a rotation of the service key", async () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const before = await createAssertionSigner({ current: first, previous: [] });
    const after = await createAssertionSigner({ current: second, previous: [first] });
    const claims = {
      subject: "ann",
      name: "Ann",
      roles: ["root"],
      sessionId: "s1",
      signedInAt: now,
      reason: null,
      requestId: null,
    } as const;
    const [old, fresh] = [await before.sign(claims, now), await after.sign(claims, now)];
    await expect(verifyAssertion(old.assertion, async () => after.keys, now)).resolves.toMatchObject({
      subject: "ann",
    });
    const keysOfOldService = async (isRenewed: boolean) => (isRenewed ? after.keys : before.keys);
    await expect(verifyAssertion(fresh.assertion, keysOfOldService, now)).resolves.toMatchObject({ subject: "ann" });
  });
});

describe("an attacker's assertion is refused", () => {
  const stranger = generateKeyPairSync("ed25519").privateKey;
  const secretOfPublicKey = (): string => String(keys.keys[0]?.x);
  const hs256 = (): string => {
    const signed = `${part({ ...goodHeader, alg: "HS256" })}.${part({ ...goodPayload, roles: ["root"] })}`;
    return `${signed}.${createHmac("sha256", Buffer.from(secretOfPublicKey(), "base64url")).update(signed).digest("base64url")}`;
  };
  const escalated = async (): Promise<string> => {
    const [header, , signature] = (await sign()).split(".");
    return `${header}.${part({ ...goodPayload, roles: ["root"] })}.${signature}`;
  };
  it.each<[string, () => Promise<string> | string, Date?]>([
    ["forged with another key", () => sign({ roles: ["root"] }, {}, stranger)],
    ["signed by a key nobody knows", () => sign({}, { kid: "other" }, stranger)],
    ["without a signature (alg none)", () => `${part({ ...goodHeader, alg: "none" })}.${part(goodPayload)}.`],
    ["HS256 with the public key as the secret", hs256],
    ["with a role escalated in the payload", escalated],
    ["for another audience", () => sign({ aud: "gateway" })],
    ["for no audience", () => sign({ aud: [] })],
    ["of another issuer", () => sign({ iss: "https://login.example" })],
    ["an ID token in its place", () => sign({}, { typ: "JWT" })],
    ["replayed after it expired", () => sign(), later(606)],
    ["valid for longer than ten minutes", () => sign({ exp: now.getTime() / 1000 + 86_400 }), later(3_600)],
    ["that never expires", () => sign({ exp: undefined })],
    ["issued in the future", () => sign({ iat: now.getTime() / 1000 + 60 })],
    ["that names nobody", () => sign({ sub: undefined })],
    [
      "with its key in its own header",
      async () => sign({ roles: ["root"] }, { jwk: await exportJWK(publicKey), kid: "x" }, stranger),
    ],
    ["that is garbage", () => "a.b.c"],
  ])("refuses an attacker's assertion: %s", async (_what, make, at = now) => {
    await expect(verify(await make(), at)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("accepts the same assertion without the attack", async () => {
    await expect(verify(await sign())).resolves.toMatchObject({ subject: "ann", roles: ["viewer"] });
  });

  it("ignores unknown roles in an assertion", async () => {
    await expect(verify(await sign({ roles: ["admin", "viewer", 7] }))).resolves.toMatchObject({ roles: ["viewer"] });
  });
});
