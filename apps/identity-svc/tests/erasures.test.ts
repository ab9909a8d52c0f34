import { newId } from "@platform/kit/process/secrets";
import { connectGrpc } from "@platform/kit/rpc/client";
import type { StoredDocument } from "@platform/kit/store/documents";
import { ErasureService } from "@platform/proto/identity/v1/erasure";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { confirm, freshEmail, link, makeAccount, makeTransaction, refusal } from "./migration-steps.ts";
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

const admin = () => operator.service(ErasureAdminService);
const others = ["notify", "events", "files", "ads"];
const openOf = async (service: string) =>
  (await services.service(ErasureService).listOpenErasures({ service }, callAs(null))).erasures;
const report = (erasureId: string, service: string, erased = 1) =>
  services.service(ErasureService).reportErasure({ erasureId, service, erased }, callAs(null));
const show = (erasureId: string) => admin().showErasure({ erasureId }, callAs(null));
const ownPartDone = (erasureId: string) =>
  eventually(async () =>
    (await show(erasureId)).steps.some(({ service, status }) => service === "identity" && status === "done"),
  );
/** Everything in the database as text, except the named collections. */
const stored = async (...except: string[]): Promise<string> => {
  const database = mongo.db(identity.mongo.database);
  const collections = (await database.listCollections().toArray()).filter(({ name }) => !except.includes(name));
  const documents = await Promise.all(collections.map(({ name }) => database.collection(name).find({}).toArray()));
  return JSON.stringify(documents);
};

/** A person who migrated from a client, as the platform knows them. */
async function migratedPerson() {
  const email = freshEmail();
  const clientId = await makeClient(identity);
  const legacySubject = `legacy-${newId()}`;
  const transaction = await makeTransaction(identity, { clientId, email, legacySubject });
  const account = await makeAccount(identity, { email, verified: true });
  await link(identity, transaction, account.sessionId);
  await confirm(identity, transaction);
  return { ...account, clientId, legacySubject };
}

describe("the erasure of a person", () => {
  it("ends an erasure by the same write as its last part, so that a crash cannot leave it open", async () => {
    const { accountId } = await migratedPerson();
    const { erasureId } = await admin().erasePerson({ accountId }, callAs(null));
    await ownPartDone(erasureId);
    for (const service of others.slice(1)) await report(erasureId, service);
    const [last = ""] = others;
    // The write succeeds but its process never receives the response, as if it had been killed at this point.
    identity.mongo.fail({
      command: "update",
      collection: "erasures",
      times: 1,
      code: 8000,
      message: "gone",
      isDone: true,
    });
    await report(erasureId, last).catch(() => undefined);
    expect((await show(erasureId)).status).toBe("done");
    const kept = await mongo
      .db(identity.mongo.database)
      .collection<StoredDocument>("erasures")
      .findOne({ _id: erasureId });
    expect(kept).not.toHaveProperty("subject_sealed");
  });

  it("removes a person completely once every service has done its part", async () => {
    const { accountId, email, clientId, legacySubject, sessionId } = await migratedPerson();
    const { erasureId } = await admin().erasePerson({ accountId }, callAs(null));
    const [open] = (await openOf("notify")).filter(({ id }) => id === erasureId);
    expect(open).toMatchObject({
      accountId,
      emails: [email],
      legacySubjects: [{ projectClientId: clientId, subject: legacySubject }],
    });
    await ownPartDone(erasureId);
    expect((await show(erasureId)).status).toBe("running");
    for (const service of others) await report(erasureId, service);
    expect(await show(erasureId)).toMatchObject({
      kind: "person",
      status: "done",
      steps: ["identity", ...others].map((service) => ({ service, status: "done" })),
    });
    const left = await stored();
    expect(left).not.toContain(email);
    expect(left).not.toContain(legacySubject);
    const again = await makeTransaction(identity, { email });
    expect(await refusal(link(identity, again, sessionId))).toBe("unauthenticated");
  });

  it("erases a person by an address that no account has", async () => {
    const email = freshEmail();
    await makeTransaction(identity, { email });
    const { erasureId } = await admin().erasePerson({ email: email.toUpperCase() }, callAs(null));
    await ownPartDone(erasureId);
    for (const service of others) await report(erasureId, service);
    expect(await stored()).not.toContain(email);
  });

  it("resumes an interrupted erasure, and counts it once", async () => {
    const { accountId } = await migratedPerson();
    await identity.stopWorker();
    const { erasureId } = await admin().erasePerson({ accountId }, callAs(null));
    expect((await show(erasureId)).status).toBe("pending");
    await report(erasureId, "notify", 3);
    await report(erasureId, "notify", 7);
    const steps = async () => (await show(erasureId)).steps;
    expect((await steps()).find(({ service }) => service === "notify")).toMatchObject({ status: "done", erased: 3 });
    expect((await openOf("notify")).some(({ id }) => id === erasureId)).toBe(false);
    await identity.startWorker();
    await ownPartDone(erasureId);
  });

  it("refuses an erasure that names nobody, two people or an unknown account", async () => {
    expect(await refusal(admin().erasePerson({}, callAs(null)))).toBe("contract_violation");
    expect(await refusal(admin().erasePerson({ accountId: newId(), email: "a@b.example" }, callAs(null)))).toBe(
      "contract_violation",
    );
    expect(await refusal(admin().erasePerson({ accountId: newId() }, callAs(null)))).toBe("platform_account_not_found");
    expect(await refusal(show(newId()))).toBe("erasure_not_found");
  });
});

describe("the erasure of a Project Client", () => {
  it("disables an erased client and removes its data except its record", async () => {
    const { clientId, legacySubject, email } = await migratedPerson();
    const issued = await identity.clients.issueProjectCredential(
      { projectClientId: clientId, scopes: ["clients:read"], name: "n" },
      callAs(null),
    );
    const { erasureId } = await admin().eraseProjectClient({ projectClientId: clientId }, callAs(null));
    expect((await openOf("files")).find(({ id }) => id === erasureId)?.projectClientId).toBe(clientId);
    await ownPartDone(erasureId);
    const shown = await identity.clients.showProjectClient({ projectClientId: clientId }, callAs(null));
    expect(shown.projectClient).toMatchObject({ id: clientId, name: "erased", disabled: true });
    // The record of operators' actions names who issued the credential, so it is kept.
    const left = await stored("operator_actions");
    expect(left).not.toContain(legacySubject);
    expect(left).not.toContain(issued.projectCredential?.id ?? "none");
    // The person's account does not belong to the client, so it is kept.
    expect((await identity.support.findAccounts({ email }, callAs(null))).accounts).toHaveLength(1);
  });
});
