import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectGrpc } from "@platform/kit/rpc/client";
import type { StoredDocument } from "@platform/kit/store/documents";
import { followErasures } from "@platform/operator-plane/clients";
import { ErasureService } from "@platform/proto/identity/v1/erasure";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshEmail, makeAccount, makeTransaction, refusal } from "./migration-steps.ts";
import { callAs, makeClient, operatorToken, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
let mongo: MongoClient;
let services: ReturnType<typeof connectGrpc>;
let operator: ReturnType<typeof connectGrpc>;
beforeAll(async () => {
  identity = await startIdentity();
  mongo = await MongoClient.connect(identity.mongo.uri);
  const address = `127.0.0.1:${identity.server.grpcPort}`;
  services = connectGrpc({ address, tls: null });
  operator = connectGrpc({
    address,
    tls: null,
    metadata: { authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" },
  });
});
afterAll(async () => {
  services.close();
  operator.close();
  await mongo.close();
  await identity.close();
});

const collection = (name: string) => mongo.db(identity.mongo.database).collection<StoredDocument>(name);
const admin = () => operator.service(ErasureAdminService);
const internal = () => services.service(ErasureService);
const show = (erasureId: string) => admin().showErasure({ erasureId }, callAs(null));
const stepOf = async (erasureId: string, service: string) =>
  (await show(erasureId)).steps.find((step) => step.service === service);
const isOpen = async (erasureId: string, service: string) =>
  (await internal().listOpenErasures({ service }, callAs(null))).erasures.some(({ id }) => id === erasureId);
const fail = (erasureId: string, service: string, reason = "MongoServerError") =>
  internal().reportErasureFailure({ erasureId, service, reason }, callAs(null));
const report = (erasureId: string, service: string) =>
  internal().reportErasure({ erasureId, service, erased: 1 }, callAs(null));
async function beginErasure(): Promise<string> {
  const { accountId } = await makeAccount(identity, { email: freshEmail(), verified: true });
  return (await admin().erasePerson({ accountId }, callAs(null))).erasureId;
}

describe("a part of an erasure that fails", () => {
  it("retries a failed part of an erasure, and gives it up after ten failures with its reason", async () => {
    const erasureId = await beginErasure();
    await fail(erasureId, "notify");
    expect(await isOpen(erasureId, "notify")).toBe(false);
    expect(await stepOf(erasureId, "notify")).toMatchObject({ status: "pending", failures: 1 });
    for (let nth = 2; nth <= 10; nth += 1) await fail(erasureId, "notify", `reason ${nth}`);
    expect(await stepOf(erasureId, "notify")).toMatchObject({ status: "failed", error: "reason 10" });
    expect((await show(erasureId)).status).toBe("failed");
    for (const service of ["events", "files", "ads"]) await report(erasureId, service);
    await eventually(async () => (await stepOf(erasureId, "identity"))?.status === "done");
    expect(await show(erasureId)).toMatchObject({ status: "failed" });
    expect((await show(erasureId)).finishedAt).toBeUndefined();
  });

  it("retries a failed part immediately when an operator requests it, and then completes the erasure", async () => {
    const erasureId = await beginErasure();
    for (let nth = 1; nth <= 10; nth += 1) await fail(erasureId, "files");
    expect(await isOpen(erasureId, "files")).toBe(false);
    await admin().retryErasure({ erasureId }, callAs(null));
    expect(await isOpen(erasureId, "files")).toBe(true);
    expect(await stepOf(erasureId, "files")).toMatchObject({ status: "pending", failures: 0 });
    for (const service of ["notify", "events", "files", "ads"]) await report(erasureId, service);
    await eventually(async () => (await show(erasureId)).status === "done");
    expect(await refusal(admin().retryErasure({ erasureId }, callAs(null)))).toBe("erasure_not_failed");
    expect(await refusal(admin().retryErasure({ erasureId: newId() }, callAs(null)))).toBe("erasure_not_found");
  });

  it("does not delay other erasures, and reports the error's name but nothing about the person", async () => {
    const [broken, sound] = [await beginErasure(), await beginErasure()];
    const erased: string[] = [];
    const job = followErasures({
      identity: { address: `127.0.0.1:${identity.server.grpcPort}`, tls: null },
      service: "ads",
      erase: async (erasure) => {
        if (erasure.id === broken) throw new TypeError(`cannot erase ${JSON.stringify(erasure)}`);
        erased.push(erasure.id);
        return 1;
      },
      logger: silentLogger(),
    });
    await eventually(async () => (await stepOf(sound, "ads"))?.status === "done");
    await eventually(async () => (await stepOf(broken, "ads"))?.error === "TypeError");
    expect(erased).toContain(sound);
    await job.stop();
  });

  it("gives up an erasure immediately if no key decrypts its person", async () => {
    await identity.stopWorker();
    const erasureId = await beginErasure();
    await collection("erasures").updateOne({ _id: erasureId }, { $set: { subject_sealed: "12345678.lost" } });
    expect(await isOpen(erasureId, "notify")).toBe(false);
    expect(await stepOf(erasureId, "notify")).toMatchObject({ status: "failed", error: "service_key_unknown" });
    await identity.startWorker();
  });
});

describe("the list of erasures", () => {
  const list = (request: { status?: string; limit?: number; cursor?: string }) =>
    admin().listErasures(request, callAs(null));

  it("pages newest first, and finds those that failed and can be tried again", async () => {
    await identity.stopWorker();
    const [first, failed, last] = [await beginErasure(), await beginErasure(), await beginErasure()];
    await collection("erasures").updateOne({ _id: failed }, { $set: { subject_sealed: "12345678.lost" } });
    await isOpen(failed, "ads");
    const page = await list({ limit: 2 });
    expect(page.erasures.map(({ erasureId }) => erasureId)).toEqual([last, failed]);
    const next = await list({ limit: 1, cursor: page.nextCursor });
    expect(next.erasures).toMatchObject([{ erasureId: first, kind: "person", status: "pending" }]);
    const found = (await list({ status: "failed", limit: 200 })).erasures;
    expect(found.map(({ erasureId }) => erasureId)).toContain(failed);
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(["failed"]));
    await identity.startWorker();
  });

  it.each(["pending", "running", "done", "failed"])(
    "lists only erasures with the status %s when this status is requested",
    async (status) => {
      const { erasures } = await list({ status, limit: 200 });
      expect(erasures.every((erasure) => erasure.status === status)).toBe(true);
    },
  );

  it("refuses an unknown status", async () => {
    await expect(list({ status: "lost" })).rejects.toMatchObject({ code: "contract_violation" });
  });
});

describe("other records of an erased person or client", () => {
  it("removes the hosted continuations of a person's transactions", async () => {
    const email = freshEmail();
    const transaction = await makeTransaction(identity, { email });
    const continuation = {
      _id: newId(),
      project_client_id: transaction.clientId,
      transaction_id: transaction.id,
      state: `of ${email}`,
    };
    await collection("hosted_continuations").insertOne({
      ...continuation,
      idempotency_key: newId(),
      created_at: new Date(),
    });
    const { erasureId } = await admin().erasePerson({ email }, callAs(null));
    await eventually(async () => (await stepOf(erasureId, "identity"))?.status === "done");
    expect(await collection("hosted_continuations").countDocuments({ _id: continuation._id })).toBe(0);
  });

  it("removes the records of reported quota thresholds of an erased client", async () => {
    const clientId = await makeClient(identity);
    const notice = { _id: `${clientId}:quota`, project_client_id: clientId, at: new Date() };
    await collection("quota_notices").insertOne(notice);
    const { erasureId } = await admin().eraseProjectClient({ projectClientId: clientId }, callAs(null));
    await eventually(async () => (await stepOf(erasureId, "identity"))?.status === "done");
    expect(await collection("quota_notices").countDocuments({ project_client_id: clientId })).toBe(0);
  });

  it("keeps an erased client disabled permanently, so that its idempotency keys cannot be used again", async () => {
    const clientId = await makeClient(identity);
    const { erasureId } = await admin().eraseProjectClient({ projectClientId: clientId }, callAs(null));
    await eventually(async () => (await stepOf(erasureId, "identity"))?.status === "done");
    const enabled = identity.clients.enableProjectClient({ projectClientId: clientId }, callAs(null));
    expect(await refusal(enabled)).toBe("project_client_erased");
  });

  it("stores only the hash of an address in the record of operators' actions, even in reasons", async () => {
    const email = freshEmail();
    const { accountId } = await makeAccount(identity, { email, verified: true });
    const reasoned = connectGrpc({
      address: `127.0.0.1:${identity.server.grpcPort}`,
      tls: null,
      metadata: { authorization: `Bearer ${operatorToken}`, "x-operator-reason": `asked by ${email.toUpperCase()}.` },
    });
    const { erasureId } = await reasoned.service(ErasureAdminService).erasePerson({ accountId }, callAs(null));
    reasoned.close();
    const action = await eventually(async () =>
      collection("operator_actions").findOne({ method: "ErasePerson", resource: accountId }),
    );
    expect(JSON.stringify(action).toLowerCase()).not.toContain(email);
    expect(JSON.stringify(action)).toMatch(/asked by address:[0-9a-f]{64}\./);
    expect((await show(erasureId)).kind).toBe("person");
  });
});
