import { runCtlText } from "@platform/stack/run-ctl";
import { eventually } from "@platform/test-kit/eventually";
import { type Collection, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { erasureDone, inTurns, killOnceBegun, settledActions } from "./killed-work.ts";
import { makeLineProject } from "./line-project.ts";
import { type OwnStack, startOwnStack } from "./own-stack.ts";
import { storeCopies } from "./stored-copies.ts";

const scopes =
  "notifications:write,clients:read,audit:write,events:write,files:write,files:read,identity-migrations:write";
const reason = ["--reason", "ticket 4711"];
const dayMs = 86_400_000;

let own: OwnStack;
let mongo: MongoClient;
beforeAll(async () => {
  own = await startOwnStack();
  mongo = await MongoClient.connect(own.stack.mongodbUri);
});
afterAll(async () => {
  await mongo?.close();
  await own?.close();
});

const collection = (service: string, name: string): Collection<Document> =>
  mongo.db(own.stack.databaseOf(service)).collection<Document>(name);
const killInTheMiddle = (name: string, remaining: () => Promise<number>, all: number) =>
  killOnceBegun(own, name, remaining, all);

describe("erasure", () => {
  const audits = 1_200;
  const elsewhere = 300;

  test("completes the erasure of a person after every worker was killed, and audit chains still hold", async () => {
    const client = await own.newClient("development", scopes);
    const address = "kim@people.example";
    const account = await own.ctl(
      ["accounts", "create", "--email", address, "--password-stdin", "--verified"],
      {},
      "correct horse battery",
    );
    const endpoint = await own.make("POST", "/email-delivery-endpoints", client.credential, { address });
    const endpoints = collection("notify", "delivery_endpoints");
    const address_hash: string = (await endpoints.findOne({ _id: endpoint.id }))?.address_hash;
    await storeCopies(endpoints, { _id: endpoint.id }, elsewhere, (copy) => ({
      ...copy,
      address_hash,
      project_client_id: copy._id,
    }));
    const audit = (n: number) => ({
      actor_id: n % 10 === 0 ? "user:other" : account.id, action: "a.b", resource_type: "order", resource_id: `${n}`, outcome: "succeeded",
    }); // biome-ignore format: one line
    await inTurns(audits, (n) => own.make("POST", "/project-audits", client.credential, audit(n)));
    const head = (await own.ctl(["audits", "list", "--client", client.id, "--after", `${audits - 1}`]))[0].hash;

    const named = () => collection("events", "project_audits").countDocuments({ actor_id: account.id });
    const reachable = () => endpoints.countDocuments({ address_hash });
    const { erasure_id: erasure } = await own.ctl(["persons", "erase", "--account", account.id, ...reason]);
    const killed = await Promise.all([
      killInTheMiddle("events-svc-worker", named, audits * 0.9),
      killInTheMiddle("notify-svc-worker", reachable, elsewhere + 1),
      own.stack.kill("identity-svc-worker", "SIGKILL").then(() => own.stack.start("identity-svc-worker")),
    ]);
    await erasureDone(own, erasure);

    expect([await named(), await reachable()]).toEqual([0, 0]);
    expect(await endpoints.countDocuments({ address })).toBe(0);
    expect((await own.ctl(["accounts", "find", "--email", address])).items).toEqual([]);
    const kept = await own.ctl(["audits", "list", "--client", client.id, "--actor", "user:other"]);
    expect(kept).toHaveLength(audits / 10);
    const verified = await own.ctl(["audits", "verify", "--client", client.id, "--head", head]);
    expect(verified).toEqual({ valid: true, length: audits });
    const begun = (await settledActions(own, collection)).filter(({ rpc }) => rpc.endsWith("/ErasePerson"));
    expect(begun).toHaveLength(1);
    expect(JSON.stringify(begun)).not.toContain(address);
    expect(await own.ctl(["operator-actions", "verify"])).toMatchObject({ valid: true });
    process.stdout.write(`erasure of a person: left when killed ${JSON.stringify(killed.slice(0, 2))}\n`);
  });

  test("completes the erasure of a client after every worker was killed, and deletes nothing of another client", async () => {
    const [erased, other] = [await makeLineProject(own), await makeLineProject(own)];
    const { client } = erased;
    const many = 3_000;
    for (const { client: one, endpointId } of [erased, other]) {
      await own.make("POST", "/domain-events", one.credential, { type: "a.b", schema_version: 1, data: {} });
      await own.make("POST", "/file-objects/upload-grants", one.credential, {
        expected_sha256: "ab".repeat(32),
        expected_content_type: "text/plain",
        maximum_bytes: 1,
      });
      await eventually(async () => (await ofClient("events", "domain_events", one.id, { position: 1 })) === 1);
      const count = one === client ? many : 50;
      await storeCopies(collection("notify", "deliveries"), { endpoint_id: endpointId }, count, (copy) => copy);
      await storeCopies(collection("files", "file_objects"), { project_client_id: one.id }, count / 10, (copy) => ({
        ...copy,
        state: "rejected",
        charged_bytes: 0,
      }));
      await storeCopies(collection("events", "domain_events"), { project_client_id: one.id }, count, (copy, n) => ({
        ...copy,
        position: n + 2,
      }));
    }
    const counted = () =>
      Promise.all(
        stores.map(async ([service, name]) => [
          name,
          await ofClient(service, name, client.id),
          await ofClient(service, name, other.client.id),
        ]),
      );
    const before = await counted();
    const { erasure_id: erasure } = await own.ctl(["clients", "erase", "--client", client.id, ...reason]);
    const killed = await Promise.all([
      killInTheMiddle("notify-svc-worker", () => ofClient("notify", "deliveries", client.id), many),
      killInTheMiddle("events-svc-worker", () => ofClient("events", "domain_events", client.id), many),
      killInTheMiddle(
        "files-svc-worker",
        () => ofClient("files", "file_objects", client.id, { state: { $ne: "deleted" } }),
        many / 10,
      ),
      own.stack.kill("identity-svc-worker", "SIGKILL").then(() => own.stack.start("identity-svc-worker")),
    ]);
    await erasureDone(own, erasure);

    const after = await counted();
    expect(after.map(([name, , others]) => [name, others])).toEqual(before.map(([name, , others]) => [name, others]));
    expect(Object.fromEntries(after.map(([name, ours]) => [name, ours]))).toEqual({
      deliveries: 0,
      delivery_endpoints: 0,
      sender_profiles: 0,
      domain_events: 0,
      project_credentials: 0,
      file_objects: many / 10 + 1,
    });
    expect(await ofClient("files", "file_objects", client.id, { state: { $ne: "deleted" } })).toBe(0);
    const shown = await own.ctl(["clients", "show", "--client", client.id]);
    expect(shown).toMatchObject({ name: "erased", disabled: true });
    expect(
      (await settledActions(own, collection)).filter(({ rpc }) => rpc.endsWith("/EraseProjectClient")),
    ).toHaveLength(1);
    expect(await own.ctl(["operator-actions", "verify"])).toMatchObject({ valid: true });
    process.stdout.write(`erasure of a client: left when killed ${JSON.stringify(killed.slice(0, 3))}\n`);
  });
});

describe("retention", () => {
  test("resumes retention after its worker was killed, and keeps younger records and those of other clients", async () => {
    const [short, usual] = [await makeLineProject(own), await makeLineProject(own)];
    const deliveries = collection("notify", "deliveries");
    const many = 6_000;
    const finish = (days: number) => (copy: Document) => ({
      ...copy,
      finished_at: new Date(Date.now() - days * dayMs),
    });
    const of = ({ endpointId }: typeof short) => ({ endpoint_id: endpointId });
    await storeCopies(deliveries, of(short), many, finish(10), () => Date.now() - 10 * dayMs);
    await storeCopies(deliveries, of(short), 100, finish(0.5), () => Date.now() - 0.5 * dayMs);
    await storeCopies(deliveries, of(usual), 100, finish(10), () => Date.now() - 10 * dayMs);
    await own.ctl(["retention", "set", "--client", short.client.id, "--kind", "deliveries", "--days", "1"]);
    const old = () =>
      deliveries.countDocuments({ ...of(short), finished_at: { $lt: new Date(Date.now() - 5 * dayMs) } });
    // The worker's first sweep runs when it starts.
    await own.stack.kill("notify-svc-worker", "SIGKILL");
    const starting = own.stack.start("notify-svc-worker").catch(() => undefined);
    const killed = await killInTheMiddle("notify-svc-worker", old, many);
    await starting;
    expect(killed.left).toBeGreaterThan(0);
    await eventually(async () => (await old()) === 0, {
      timeoutMs: 60_000,
      everyMs: 100,
      what: "the old ones are gone",
    });
    expect([await deliveries.countDocuments(of(short)), await deliveries.countDocuments(of(usual))]).toEqual([
      101, 101,
    ]);
    process.stdout.write(`retention: left when killed ${JSON.stringify(killed)}\n`);
  });

  test("resumes the pruning of audits after events-svc was killed: the chain holds, and their quota is released once", async () => {
    const client = await own.newClient();
    const count = 2_200;
    const audit = (n: number) => ({
      actor_id: `user:${n}`, action: "a.b", resource_type: "order", resource_id: `${n}`, outcome: "succeeded",
    }); // biome-ignore format: one line
    await inTurns(count, (n) => own.make("POST", "/project-audits", client.credential, audit(n)));
    const head = (await own.ctl(["audits", "list", "--client", client.id, "--after", `${count - 1}`]))[0].hash;
    await runCtlText(own.stack.directory, ["audits", "export", "--client", client.id]);
    const kept = () => ofClient("events", "project_audits", client.id, { pruned: { $ne: true } });
    const prune = ["audits", "prune", "--client", client.id, "--until", "0s", ...reason];
    const pruning = own.ctl(prune);
    const killed = await killInTheMiddle("events-svc", kept, count);
    await pruning;
    expect(await kept()).toBe(0);
    const verified = await own.ctl(["audits", "verify", "--client", client.id, "--head", head]);
    expect(verified).toEqual({ valid: true, length: count });
    const quotas: { resource: string; used: number }[] = await own.ctl(["quotas", "show", "--client", client.id]);
    expect(quotas.find(({ resource }) => resource === "audit_retention")?.used).toBe(0);
    await settledActions(own, collection);
    expect(await own.ctl(["operator-actions", "verify"])).toMatchObject({ valid: true });
    process.stdout.write(`prune: left when killed ${JSON.stringify(killed)}\n`);
  });
});

const stores = [
  ["notify", "deliveries"],
  ["notify", "delivery_endpoints"],
  ["notify", "sender_profiles"],
  ["events", "domain_events"],
  ["identity", "project_credentials"],
  ["files", "file_objects"],
] as const;

const ofClient = (service: string, name: string, clientId: string, more: Document = {}): Promise<number> =>
  collection(service, name).countDocuments({ project_client_id: clientId, ...more });
