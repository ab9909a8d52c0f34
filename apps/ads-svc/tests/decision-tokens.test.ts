import { createPublicKey, randomUUID } from "node:crypto";
import { open } from "@platform/kit/process/secrets";
import { type CryptoKey, exportJWK, generateKeyPair, importJWK } from "jose";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adsCall, startAdsFixture } from "./ads-fixture.ts";
import { hmacSigned, readToken, signedWith, tamper, unsigned } from "./forged-token.ts";

describe("decision tokens", () => {
  let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
  let campaignId: string;
  let otherCampaignId: string;
  let token: string;
  let publicJwk: { x: string; crv: string; kty: string };
  beforeAll(async () => {
    fixture = await startAdsFixture();
    campaignId = await fixture.ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 1_000 });
    otherCampaignId = await fixture.ads.createCampaign({ cpmMinor: 1, budgetMinor: 1_000 });
    [token = ""] = await fixture.ads.decide(campaignId, 1);
    const { keys } = await fixture.ads.decisions.listSigningKeys({}, adsCall());
    publicJwk = JSON.parse(keys[0]?.publicJwkJson ?? "");
  });
  afterAll(async () => {
    // None of the attacks has recorded an impression.
    expect(await fixture.ads.campaign(otherCampaignId)).toMatchObject({ impressions: 0 });
    await fixture.close();
  });

  const isRefused = async (presented: string, code = "decision_token_invalid"): Promise<void> => {
    await expect(fixture.ads.report(presented)).rejects.toMatchObject({ code });
  };

  /**
   * The active private key, decrypted with the service key. With it the test forges tokens that are wrong in exactly
   * one respect.
   */
  const signingKey = async (): Promise<CryptoKey> => {
    const client = await MongoClient.connect(fixture.mongo.uri);
    const row = await client.db(fixture.mongo.database).collection("signing_keys").findOne({});
    await client.close();
    const jwk = JSON.parse(open(fixture.config.keyring, `ads-signing-key:${row?._id}`, row?.sealed_private_jwk));
    return (await importJWK(jwk, "EdDSA")) as CryptoKey;
  };

  it("signs exactly the claims of a decision", () => {
    const { header, claims } = readToken(token);
    expect(header).toEqual({ alg: "EdDSA", kid: expect.any(String), typ: "ad-decision+jwt" });
    expect(claims).toEqual({
      iss: "platform-ads",
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
      campaign: campaignId,
      client: null,
      placement: "home",
      format: "display",
      price: { cpm_minor: 1_000, currency: "JPY" },
    });
  });

  it("refuses a token that is signed with a foreign key but names our key's kid", async () => {
    const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
    const { header, claims } = readToken(token);
    await isRefused(await signedWith(privateKey, header, claims));
  });

  it("refuses a token with an embedded key in its header", async () => {
    const { privateKey, publicKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
    const { header, claims } = readToken(token);
    const jwk = await exportJWK(publicKey);
    await isRefused(await signedWith(privateKey, { ...header, jwk, jku: "https://forger.example/jwks" }, claims));
  });

  it("refuses a token from the second in which it expires", async () => {
    const { tokens } = await fixture.ads.decisions.issueDecisions(
      { campaignId, placement: "home", format: "display", expiresInSeconds: 60, count: 2 },
      adsCall(),
    );
    const issuedMs = fixture.time.nowMs;
    fixture.time.nowMs = issuedMs + 59_999;
    expect(await fixture.ads.report(tokens[0] ?? "")).toMatchObject({ recorded: true });
    fixture.time.nowMs = issuedMs + 60_000;
    await isRefused(tokens[1] ?? "", "decision_token_expired");
    fixture.time.nowMs = issuedMs;
  });

  it.each(["none", "None", "NONE", "nOnE"])("refuses an unsigned token with alg=%s", async (name) => {
    await isRefused(unsigned(token, name));
  });

  it("rejects a token with an unknown or missing kid", async () => {
    const privateKey = await signingKey();
    const { claims } = readToken(token);
    await isRefused(await signedWith(privateKey, { kid: randomUUID(), typ: "ad-decision+jwt" }, claims));
    await isRefused(await signedWith(privateKey, { typ: "ad-decision+jwt" }, claims));
    await isRefused(await signedWith(privateKey, { kid: "../../etc/passwd", typ: "ad-decision+jwt" }, claims));
  });

  it("rejects a token whose campaign was replaced without a new signature", async () => {
    await isRefused(tamper(token, { claims: { campaign: otherCampaignId } }));
  });

  it("refuses a signed token with another campaign's price", async () => {
    const { header, claims } = readToken(token);
    const swapped = { ...claims, jti: randomUUID(), campaign: otherCampaignId };
    await isRefused(await signedWith(await signingKey(), header, swapped));
  });

  it.each(["format", "placement", "price", "jti", "exp", "client"])(
    "refuses a token whose %s was changed",
    async (claim) => {
      const values: Record<string, unknown> = {
        format: "display_large",
        placement: "elsewhere",
        price: { cpm_minor: 0, currency: "JPY" },
        jti: randomUUID(),
        exp: 4_000_000_000,
        client: randomUUID(),
      };
      await isRefused(tamper(token, { claims: { [claim]: values[claim] } }));
    },
  );

  it("refuses a token signed by HMAC with our public key (key confusion)", async () => {
    const pem = createPublicKey({ key: publicJwk, format: "jwk" }).export({ type: "spki", format: "pem" });
    await isRefused(hmacSigned(token, pem));
    await isRefused(hmacSigned(token, Buffer.from(publicJwk.x, "base64url")));
    await isRefused(hmacSigned(token, JSON.stringify(publicJwk)));
  });

  it("refuses signed tokens of another type or issuer", async () => {
    const privateKey = await signingKey();
    const { header, claims } = readToken(token);
    await isRefused(await signedWith(privateKey, { ...header, typ: "JWT" }, claims));
    await isRefused(await signedWith(privateKey, { kid: header.kid }, claims));
    await isRefused(await signedWith(privateKey, header, { ...claims, iss: "someone-else" }));
  });

  it("refuses a token with a missing, unknown, mistyped or future claim", async () => {
    const privateKey = await signingKey();
    const { header, claims } = readToken(token);
    const { jti: _jti, ...withoutId } = claims;
    const future = Math.floor(fixture.time.nowMs / 1000) + 6;
    for (const wrong of [
      withoutId,
      { ...claims, extra: 1 },
      { ...claims, exp: undefined },
      { ...claims, format: "popup" },
      { ...claims, price: { cpm_minor: "1000", currency: "JPY" } },
      { ...claims, iat: future },
    ]) {
      await isRefused(await signedWith(privateKey, header, wrong));
    }
  });

  it("refuses a signed token longer than 4096 characters", async () => {
    const { header, claims } = readToken(token);
    const oversize = await signedWith(await signingKey(), header, { ...claims, pad: "x".repeat(4_096) });
    expect(oversize.length).toBeGreaterThan(4_096);
    await isRefused(oversize);
    await isRefused("a".repeat(1_000_000));
  });

  it.each(["", "x", "a.b.c", "..", "e30.e30.", "e30.e30.AAAA", "null.null.null", "💥.💥.💥", `${"a.".repeat(50)}a`])(
    "refuses %j, which is not a token",
    (garbage) => isRefused(garbage),
  );

  it("returns the same response for every invalid token", async () => {
    const messages = await Promise.all(
      [unsigned(token), "x", tamper(token, { header: { kid: randomUUID() } })].map((presented) =>
        fixture.ads.report(presented).catch((error: Error) => error.message),
      ),
    );
    expect(new Set(messages).size).toBe(1);
  });

  it("keeps a token usable after forged copies of it were refused", async () => {
    expect(await fixture.ads.report(token)).toMatchObject({ recorded: true, chargedMinor: 1n });
  });
});
