import { createHash, randomBytes } from "node:crypto";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { eventually } from "@platform/test-kit/eventually";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.close());

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Presents a credential as the gateway does. */
function authenticate(credential: string) {
  const [, credentialId = "", secret = ""] = credential.split("_");
  return identity.authentication.authenticateProjectCredential(
    { credentialId, secretSha256: sha256(secret) },
    callAs(null),
  );
}

async function issue(options: { expiresAt?: Date; projectClientId?: string } = {}) {
  const projectClientId = options.projectClientId ?? (await makeClient(identity));
  const reply = await identity.clients.issueProjectCredential(
    {
      projectClientId,
      scopes: ["clients:read", "events:write"],
      ...optionalTimestamp("expiresAt", options.expiresAt ?? null),
    },
    callAs(null),
  );
  return { projectClientId, id: reply.projectCredential?.id ?? "", credential: reply.credential };
}

describe("a Project Credential", () => {
  test("resolves a credential to its client, scopes and effective limits", async () => {
    const { credential, projectClientId, id } = await issue();
    expect(credential).toMatch(/^pcred_[0-9a-f]{32}_[0-9a-f]{64}$/);
    const reply = await authenticate(credential);
    expect(reply.credentialId).toBe(id);
    expect(reply.projectClient).toMatchObject({ id: projectClientId, environment: "development", disabled: false });
    expect(reply.projectClient?.quotaLimits).toMatchObject({ api_traffic: 6000n, storage_bytes: 5n * 1024n ** 3n });
    expect(reply.scopes).toEqual(["clients:read", "events:write"]);
  });

  test("stores a Project Credential only as a hash", async () => {
    const { credential } = await issue();
    const secret = credential.split("_")[2] ?? "";
    const client = await MongoClient.connect(identity.mongo.uri);
    const documents = await client.db(identity.mongo.database).collection("project_credentials").find().toArray();
    await client.close();
    expect(JSON.stringify(documents)).not.toContain(secret);
    expect(JSON.stringify(documents)).toContain(sha256(secret).toString("hex"));
  });

  test("returns the same response for unknown, wrong, expired and revoked credentials", async () => {
    const { credential, id } = await issue();
    const wrong = `pcred_${id}_${randomBytes(32).toString("hex")}`;
    const unknown = `pcred_${randomBytes(16).toString("hex")}_${credential.split("_")[2]}`;
    const revoked = await issue();
    await identity.clients.revokeProjectCredential({ credentialId: revoked.id }, callAs(null));
    const expired = await issue({ expiresAt: new Date(identity.clock.now().getTime() + 1_000) });
    identity.clock.advanceSeconds(2);
    const answers = await Promise.all(
      [wrong, unknown, revoked.credential, expired.credential].map((presented) =>
        authenticate(presented).then(
          () => "let in",
          (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
        ),
      ),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^unauthenticated: /);
  });

  test("reports a disabled client, and accepts its credential again once enabled", async () => {
    const { credential, projectClientId } = await issue();
    await identity.clients.disableProjectClient({ projectClientId }, callAs(null));
    expect((await authenticate(credential)).projectClient?.disabled).toBe(true);
    await identity.clients.enableProjectClient({ projectClientId }, callAs(null));
    expect((await authenticate(credential)).projectClient?.disabled).toBe(false);
  });

  test("accepts both credentials during the overlap of a rotation, and only the new one afterwards", async () => {
    const old = await issue();
    const rotated = await identity.clients.rotateProjectCredential({ credentialId: old.id }, callAs(null));
    const endsAt = rotated.rotated?.expiresAt;
    const overlapMs = (endsAt === undefined ? 0 : timestampDate(endsAt).getTime()) - identity.clock.now().getTime();
    expect(Math.round(overlapMs / 60_000)).toBe(24 * 60);
    expect((await authenticate(old.credential)).scopes).toEqual((await authenticate(rotated.credential)).scopes);
    identity.clock.advanceSeconds(24 * 60 * 60 + 1);
    await expect(authenticate(old.credential)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(authenticate(rotated.credential)).resolves.toBeDefined();
  });

  test("completes one of 20 concurrent rotations, and leaves no credential of the others behind", async () => {
    const old = await issue();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        identity.clients.rotateProjectCredential({ credentialId: old.id, overlapSeconds: 60n }, callAs(null)),
      ),
    );
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    const { projectCredentials } = await identity.clients.listProjectCredentials(
      { projectClientId: old.projectClientId },
      callAs(null),
    );
    expect(projectCredentials).toHaveLength(2);
  });

  test("does not extend an expiring credential by a longer overlap", async () => {
    const expiresAt = new Date(identity.clock.now().getTime() + 60_000);
    const old = await issue({ expiresAt });
    const reply = await identity.clients.rotateProjectCredential({ credentialId: old.id }, callAs(null));
    expect(reply.rotated?.expiresAt).toEqual(timestampFromDate(expiresAt));
  });

  test("records a credential's last use without delaying the call", async () => {
    const { credential, projectClientId } = await issue();
    await authenticate(credential);
    const used = await eventually(async () => {
      const reply = await identity.clients.listProjectCredentials({ projectClientId }, callAs(null));
      return reply.projectCredentials[0]?.lastUsedAt;
    });
    expect(timestampDate(used).getTime()).toBeLessThanOrEqual(identity.clock.now().getTime());
  });
});

test("announces every change that affects authentication to the gateways", async () => {
  const subscriber = new Redis(identity.redis.url);
  const heard: unknown[] = [];
  subscriber.on("message", (_channel, text: string) => heard.push(JSON.parse(text)));
  await subscriber.subscribe("identity:changes");
  const { id, projectClientId } = await issue();
  await identity.clients.setQuota({ projectClientId, resource: "events", limit: 5n }, callAs(null));
  await identity.clients.updateProjectClient({ projectClientId, name: "Renamed" }, callAs(null));
  await identity.clients.disableProjectClient({ projectClientId }, callAs(null));
  await identity.clients.enableProjectClient({ projectClientId }, callAs(null));
  await identity.clients.rotateProjectCredential({ credentialId: id }, callAs(null));
  await identity.clients.revokeProjectCredential({ credentialId: id }, callAs(null));
  const client = { kind: "client", id: projectClientId };
  const credential = { kind: "credential", id };
  await eventually(() => heard.length >= 6);
  subscriber.disconnect();
  expect(heard).toEqual([client, client, client, client, credential, credential]);
});

test("issues credentials within the scopes that operators allow, and removes the others from existing ones", async () => {
  const projectClientId = await makeClient(identity);
  const issueWith = (scopes: string[]) =>
    identity.clients.issueProjectCredential({ projectClientId, scopes }, callAs(null));
  const allow = (values: string[]) =>
    identity.clients.updateProjectClient({ projectClientId, allowedScopes: { values } }, callAs(null));
  const { credential, projectCredential } = await issueWith(["events:write", "files:read"]);
  const scopesOf = async (secretKey: string) => (await authenticate(secretKey)).scopes;
  expect(await scopesOf(credential)).toEqual(["events:write", "files:read"]);
  const { projectClient } = await allow(["files:read"]);
  expect(projectClient?.allowedScopes?.values).toEqual(["files:read"]);
  expect(await scopesOf(credential)).toEqual(["files:read"]);
  await expect(issueWith(["files:read", "events:write"])).rejects.toMatchObject({ code: "scope_not_allowed" });
  await expect(issueWith(["files:read"])).resolves.toMatchObject({ projectCredential: { scopes: ["files:read"] } });
  const rotated = await identity.clients.rotateProjectCredential(
    { credentialId: projectCredential?.id ?? "" },
    callAs(null),
  );
  expect(rotated.projectCredential?.scopes).toEqual(["files:read"]);
  await allow([]);
  const last = { credentialId: rotated.projectCredential?.id ?? "" };
  await expect(identity.clients.rotateProjectCredential(last, callAs(null))).rejects.toMatchObject({
    code: "scope_not_allowed",
  });
  await expect(allow(["no scope"])).rejects.toMatchObject({ code: "contract_violation" });
});

test("accepts a share of successful requests from 0 to 1", async () => {
  const projectClientId = await makeClient(identity);
  const set = (successRatio: number) =>
    identity.clients.updateProjectClient({ projectClientId, successRatio }, callAs(null));
  for (const ratio of [0, 1]) expect((await set(ratio)).projectClient?.successRatio).toBe(ratio);
  for (const ratio of [-0.001, 1.001, Number.NaN])
    await expect(set(ratio)).rejects.toMatchObject({ code: "contract_violation" });
});
