import { randomBytes } from "node:crypto";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectMongo } from "@platform/kit/store/schema";
import { generateKeyPair } from "jose";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAdsServer } from "../src/create-ads-server.ts";
import { createAdsStore } from "../src/store/ads-store.ts";
import { eraseRetiredKeys } from "../src/worker/erase-retired-keys.ts";
import { adsCall, adsClients, startAdsFixture } from "./ads-fixture.ts";
import { readToken, signedWith } from "./forged-token.ts";

describe("signing keys", () => {
  let fixture: Awaited<ReturnType<typeof startAdsFixture>>;
  let campaignId: string;
  beforeAll(async () => {
    fixture = await startAdsFixture();
    campaignId = await fixture.ads.createCampaign({ cpmMinor: 1_000, budgetMinor: 1_000 });
  });
  afterAll(() => fixture.close());

  const keysNow = async () => (await fixture.ads.decisions.listSigningKeys({}, adsCall())).keys;
  const decideOne = async (): Promise<string> => (await fixture.ads.decide(campaignId, 1))[0] ?? "";

  it("creates one signing key when replicas start at the same time", async () => {
    const replicas = await Promise.all([fixture.startReplica(), fixture.startReplica(), fixture.startReplica()]);
    const tokens = await Promise.all(replicas.map((replica) => replica.decide(campaignId, 1)));
    expect(new Set(tokens.flat().map((token) => readToken(token).header.kid)).size).toBe(1);
    expect(await keysNow()).toHaveLength(1);
    await Promise.all(replicas.map((replica) => replica.stop()));
  });

  it("keeps earlier tokens valid after a rotation", async () => {
    const before = await decideOne();
    const { key } = await fixture.ads.decisions.rotateSigningKey({}, adsCall());
    const after = await decideOne();
    expect(readToken(after).header.kid).toBe(key?.kid);
    expect(readToken(before).header.kid).not.toBe(key?.kid);
    expect(await fixture.ads.report(before)).toMatchObject({ recorded: true });
    expect(await fixture.ads.report(after)).toMatchObject({ recorded: true });
    expect((await keysNow()).map(({ status }) => status)).toEqual(["active", "retired"]);
  });

  it("verifies a token immediately with a key that the replica has not read before", async () => {
    const replica = await fixture.startReplica();
    await fixture.ads.decisions.rotateSigningKey({}, adsCall());
    expect(await replica.report(await decideOne())).toMatchObject({ recorded: true });
    await replica.stop();
  });

  it("verifies a token immediately with a new key while an attacker's invented kids cause reads of the keys", async () => {
    const replica = await fixture.startReplica();
    const { header, claims } = readToken(await decideOne());
    const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
    const guess = await signedWith(privateKey, { ...header, kid: newId() }, claims);
    await expect(replica.report(guess)).rejects.toMatchObject({ code: "decision_token_invalid" });
    await fixture.ads.decisions.rotateSigningKey({}, adsCall());
    expect(await replica.report(await decideOne())).toMatchObject({ recorded: true });
    await replica.stop();
  });

  it("refuses every token of a revoked key, and does not revoke the active key", async () => {
    const leaked = await decideOne();
    const kid = String(readToken(leaked).header.kid);
    await expect(fixture.ads.decisions.revokeSigningKey({ kid }, adsCall())).rejects.toMatchObject({
      code: "contract_violation",
    });
    await fixture.ads.decisions.rotateSigningKey({}, adsCall());
    await fixture.ads.decisions.revokeSigningKey({ kid }, adsCall());
    await expect(fixture.ads.report(leaked)).rejects.toMatchObject({ code: "decision_token_invalid" });
  });

  it("stores private keys only in encrypted form", async () => {
    const client = await MongoClient.connect(fixture.mongo.uri);
    const rows = await client.db(fixture.mongo.database).collection("signing_keys").find({}).toArray();
    await client.close();
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) {
      expect(JSON.parse(row.public_jwk_json)).not.toHaveProperty("d");
      expect(row.sealed_private_jwk ?? "").not.toContain('"d"');
    }
  });

  it("creates a new signing key if the service key was replaced, and still verifies older tokens", async () => {
    const before = await decideOne();
    const keyring = { current: new Uint8Array(randomBytes(32)), previous: [] };
    const clock = () => new Date(fixture.time.nowMs);
    const successor = await createAdsServer({ ...fixture.config, keyring }, { logger: silentLogger(), clock });
    const clients = adsClients(successor.grpcPort, fixture.config.operatorToken);
    const [after = ""] = await clients.decide(campaignId, 1);
    expect(readToken(after).header.kid).not.toBe(readToken(before).header.kid);
    for (const token of [before, after]) expect(await clients.report(token)).toMatchObject({ recorded: true });
    clients.close();
    await successor.close();
    await fixture.ads.decisions.rotateSigningKey({}, adsCall());
  });

  it("erases the private half of a retired key, and still verifies tokens with its public half", async () => {
    const before = await decideOne();
    await fixture.ads.decisions.rotateSigningKey({}, adsCall());
    const connection = await connectMongo(fixture.config.mongo);
    const store = createAdsStore(connection);
    expect(await eraseRetiredKeys(store.signingKeys, new Date(fixture.time.nowMs))).toBe(0);
    expect(await eraseRetiredKeys(store.signingKeys, new Date(fixture.time.nowMs + 60_000))).toBeGreaterThan(0);
    const [active, ...retired] = await store.signingKeys.listSigningKeys();
    expect(active?.sealedPrivateJwk).not.toBeNull();
    expect(retired.every(({ sealedPrivateJwk }) => sealedPrivateJwk === null)).toBe(true);
    expect(await fixture.ads.report(before)).toMatchObject({ recorded: true });
    await connection.close();
  });

  it("stops accepting a key once all its tokens have expired", async () => {
    const kid = readToken(await decideOne()).header.kid;
    await fixture.ads.decisions.rotateSigningKey({}, adsCall());
    fixture.time.nowMs += 86_400_000 + 11_000;
    expect((await keysNow()).find((key) => key.kid === kid)?.status).toBe("expired");
  });

  it("admits only operators to key management", async () => {
    const anonymous = adsClients(fixture.port, "not the operator's token");
    await expect(anonymous.decisions.rotateSigningKey({}, adsCall())).rejects.toMatchObject({
      code: "unauthenticated",
    });
    await expect(anonymous.decide(campaignId, 1)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(anonymous.createCampaign({ cpmMinor: 1, budgetMinor: 1 })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    anonymous.close();
  });
});
