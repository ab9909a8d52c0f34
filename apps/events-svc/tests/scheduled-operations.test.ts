import { randomBytes } from "node:crypto";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callFor, operatorCall } from "./fixture.ts";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";

let bed: ScheduleBed;
let clientId: string;

beforeAll(async () => {
  bed = await startScheduleBed();
});
beforeEach(async () => {
  clientId = await bed.identity.createClient();
  bed.target.answerWith((_, response) => void response.end("ok"));
});
afterAll(() => bed.close());

const arrivals = () => bed.target.arrivalsAt(`/${clientId}`);
const registration = { name: "nightly.report", url: "https://8.8.8.8/hook", secret: "s".repeat(40), maxAttempts: 5 };
const registerWith = (claim: Parameters<typeof callFor>[1], fields: object = {}) =>
  bed.server.schedules.registerScheduledOperation({ ...registration, ...fields }, callFor(clientId, claim));

describe("registering a scheduled operation", () => {
  test("creates one operation for concurrent repeats", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => registerWith({ key: "k" })));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test("refuses a key that another registration has used", async () => {
    await registerWith({ key: "k", fingerprint: "a".repeat(64) });
    await expect(registerWith({ key: "k", fingerprint: "b".repeat(64) })).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });

  test("encrypts the secret at rest and never returns it", async () => {
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    const { id } = await registerWith({}, { secret });
    const driver = await MongoClient.connect(bed.mongo.uri);
    const stored = await driver
      .db(bed.mongo.database)
      .collection<{ _id: string }>("scheduled_operations")
      .findOne({ _id: id });
    await driver.close();
    const { operations } = await bed.server.scheduleAdmin.listScheduledOperations(
      { projectClientId: clientId },
      operatorCall(),
    );
    expect(stored).not.toBeNull();
    expect(operations).toHaveLength(1);
    const seen = JSON.stringify([stored, operations], (_, value) => (typeof value === "bigint" ? `${value}` : value));
    expect(seen).not.toContain(secret.slice(6));
    expect(seen).not.toContain(Buffer.from(secret).toString("base64"));
  });

  test("refuses a whsec_ secret that is not base64, and names the field", async () => {
    await expect(registerWith({}, { secret: `whsec_${"*".repeat(32)}` })).rejects.toMatchObject({
      code: "contract_violation",
      details: { violations: [{ path: "/secret" }] },
    });
  });

  test.each(["staging", "production"])(
    "refuses, in %s, an address that is not public, and names the reason",
    async (environment) => {
      const reasonOf = async (url: string): Promise<unknown> =>
        registerWith({ environment }, { url }).then(
          () => "accepted",
          (error) => [error.code, error.details.reason],
        );
      const refused = (reason: string) => ["scheduled_url_not_allowed", reason];
      expect(await reasonOf("https://127.0.0.1/")).toEqual(refused("address_not_allowed"));
      expect(await reasonOf("https://0x7f000001/")).toEqual(refused("address_not_allowed"));
      expect(await reasonOf("https://[::ffff:10.0.0.1]/")).toEqual(refused("address_not_allowed"));
      expect(await reasonOf("https://169.254.169.254/latest/meta-data")).toEqual(refused("address_not_allowed"));
      expect(await reasonOf("https://localhost/")).toEqual(refused("address_not_allowed"));
      expect(await reasonOf("https://api.localhost./")).toEqual(refused("address_not_allowed"));
      expect(await reasonOf("https://inner.corp.example/")).toBe("accepted");
      expect(await reasonOf("http://8.8.8.8/")).toEqual(refused("scheme_not_allowed"));
      expect(await reasonOf("https://u:p@8.8.8.8/")).toEqual(refused("credentials_in_url"));
      expect(await reasonOf("https://8.8.8.8:9000/")).toEqual(refused("port_not_allowed"));
      expect(await reasonOf("https://8.8.8.8/")).toBe("accepted");
    },
  );

  test("accepts loopback but no private addresses in development", async () => {
    await registerWith({}, { url: "http://127.0.0.1:3000/" });
    await expect(registerWith({}, { url: "https://192.168.0.1/" })).rejects.toMatchObject({
      code: "scheduled_url_not_allowed",
    });
  });
});

describe("a run", () => {
  test("sends a signed POST that verifies with the official library", async () => {
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    bed.setClock(new Date());
    const id = await bed.register(clientId, { secret });
    const invocationId = await bed.invoke(id);
    await bed.runWhen(id, ({ status }) => status === "succeeded");
    const [arrival] = arrivals();
    const headers = arrival?.headers as Record<string, string>;
    const verified = new Webhook(secret).verify(arrival?.body ?? "", headers);
    expect(verified).toEqual({
      operation_id: id,
      name: "nightly.report",
      invocation_id: invocationId,
      scheduled_for: bed.now().toISOString(),
      attempt: 1,
    });
    expect(headers).toMatchObject({ "webhook-id": invocationId, "content-type": "application/json" });
  });

  test("retries a run with the same id and growing waits until it succeeds", async () => {
    bed.target.answerSequence(
      `/${clientId}`,
      { status: 500, body: "broken" },
      { status: 302, headers: { location: "/other" } },
      { status: 204 },
    );
    const id = await bed.register(clientId);
    const invocationId = await bed.invoke(id);
    await bed.runWhen(id, ({ status, attempts }) => status === "pending" && attempts.length === 1);
    bed.advance(6.1);
    await bed.runWhen(id, ({ status, attempts }) => status === "pending" && attempts.length === 2);
    bed.advance(12.1);
    const run = await bed.runWhen(id, ({ status }) => status === "succeeded");
    expect(run.attempts.map(({ statusCode, error, response }) => [statusCode, error, response])).toEqual([
      [500, "status_500", "broken"],
      [302, "status_302", null],
      [204, null, null],
    ]);
    const bodies = arrivals().map(({ body }) => JSON.parse(body.toString()));
    expect(bodies.map(({ attempt, invocation_id }) => [attempt, invocation_id])).toEqual([
      [1, invocationId],
      [2, invocationId],
      [3, invocationId],
    ]);
    expect(bed.target.arrivalsAt("/other")).toEqual([]);
  });

  test("waits at least for the time in the Retry-After of a 429", async () => {
    bed.target.answerSequence(`/${clientId}`, { status: 429, headers: { "retry-after": "600" } }, { status: 200 });
    const id = await bed.register(clientId);
    await bed.invoke(id);
    await bed.runWhen(id, ({ status, attempts }) => status === "pending" && attempts.length === 1);
    bed.advance(599);
    const other = await bed.register(clientId);
    await bed.invoke(other);
    await bed.runWhen(other, ({ status }) => status === "succeeded");
    expect((await bed.runsOf(id))[0]?.attempts).toHaveLength(1);
    bed.advance(62);
    await bed.runWhen(id, ({ status }) => status === "succeeded");
  });

  test("fails a run after max_attempts, and runs it again with the same id when an operator requests it", async () => {
    bed.target.answerSequence(`/${clientId}`, { status: 500 });
    const id = await bed.register(clientId, { maxAttempts: 2 });
    const invocationId = await bed.invoke(id);
    await bed.runWhen(id, ({ attempts }) => attempts.length === 1);
    bed.advance(10);
    await bed.runWhen(id, ({ status }) => status === "failed");
    bed.target.answerSequence(`/${clientId}`, { status: 200 });
    await bed.redrive(invocationId);
    const run = await bed.runWhen(id, ({ status }) => status === "succeeded");
    expect(run.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 500, 200]);
    expect(arrivals().map(({ headers }) => headers["webhook-id"])).toEqual(Array(3).fill(invocationId));
    await expect(bed.redrive(invocationId)).rejects.toMatchObject({
      message: expect.stringContaining("Only a failed"),
    });
  });

  test("disables the operation after a 410, until an operator enables it", async () => {
    bed.target.answerSequence(`/${clientId}`, { status: 410, body: "retired" });
    const id = await bed.register(clientId);
    await bed.setCron(id, "0 0 1 1 *");
    await bed.invoke(id);
    await bed.runWhen(id, ({ status }) => status === "failed");
    const { operations } = await bed.server.scheduleAdmin.listScheduledOperations(
      { projectClientId: clientId },
      operatorCall(),
    );
    expect(operations.map(({ status, nextDueAt }) => [status, nextDueAt])).toEqual([["disabled", undefined]]);
    expect(operations[0]?.statusReason).toMatchObject({ statusCode: 410, bodyStart: "retired", at: expect.anything() });
    await expect(bed.invoke(id)).rejects.toMatchObject({ message: expect.stringContaining("disabled") });
    const { operation } = await bed.server.scheduleAdmin.enableScheduledOperation({ operationId: id }, operatorCall());
    expect([operation?.status, operation?.nextDueAt]).toEqual(["active", expect.anything()]);
    expect(operation?.statusReason).toBeUndefined();
    await bed.invoke(id);
  });

  test("skips a run if its operation was disabled in the meantime", async () => {
    bed.target.answerSequence(`/${clientId}`, { status: 500 });
    const id = await bed.register(clientId);
    await bed.invoke(id);
    await bed.runWhen(id, ({ attempts }) => attempts.length === 1);
    await bed.server.scheduleAdmin.disableScheduledOperation({ operationId: id }, operatorCall());
    bed.advance(10);
    const run = await bed.runWhen(id, ({ status }) => status === "skipped");
    expect(run.error).toBe("operation_disabled");
    expect(arrivals()).toHaveLength(1);
  });

  test("stops reading an endless response, records its status, and keeps 1 KiB", async () => {
    bed.target.answerWith((_, response) => {
      response.writeHead(400);
      const write = (): void => {
        while (!response.destroyed && response.write("x".repeat(16 * 1024)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    const id = await bed.register(clientId, { maxAttempts: 1 });
    await bed.invoke(id);
    const run = await bed.runWhen(id, ({ status }) => status === "failed");
    expect(run.attempts[0]).toMatchObject({ statusCode: 400, response: "x".repeat(1024) });
  });

  test("refuses to call a production client's host whose name now resolves to loopback (DNS rebinding)", async () => {
    const id = await bed.register(clientId, { url: "https://8.8.8.8/", environment: "production", maxAttempts: 1 });
    const driver = await MongoClient.connect(bed.mongo.uri);
    await driver
      .db(bed.mongo.database)
      .collection<{ _id: string }>("scheduled_operations")
      .updateOne({ _id: id }, { $set: { url: "https://localhost:443/" } });
    await driver.close();
    await bed.invoke(id);
    const run = await bed.runWhen(id, ({ status }) => status === "failed");
    expect(run.attempts[0]).toMatchObject({ statusCode: null, error: "address_not_allowed" });
  });

  test("reports a failed connection as the reason", async () => {
    const id = await bed.register(clientId, { url: "http://127.0.0.1:9/", maxAttempts: 1 });
    await bed.invoke(id);
    const run = await bed.runWhen(id, ({ status }) => status === "failed");
    expect(run.attempts[0]).toMatchObject({ statusCode: null, error: "connection_refused" });
  });
});

describe("the quota of scheduled invocations", () => {
  test("counts each attempt, and defers runs past the quota without using an attempt", async () => {
    await bed.identity.setQuota(clientId, 2);
    bed.target.answerSequence(`/${clientId}`, { status: 500 }, { status: 200 });
    const id = await bed.register(clientId, { maxAttempts: 5 });
    await bed.invoke(id);
    await bed.runWhen(id, ({ attempts }) => attempts.length === 1);
    bed.advance(10);
    await bed.runWhen(id, ({ status }) => status === "succeeded");
    const second = await bed.invoke(id);
    const deferred = await bed.runWhen(id, (run) => run.id === second && run.status === "deferred");
    expect(deferred.attempts).toEqual([]);
    expect(arrivals()).toHaveLength(2);
    await bed.identity.setQuota(clientId, 3);
    await eventually(async () => {
      await bed.redrive(second).catch(() => undefined);
      return (await bed.runsOf(id)).some((run) => run.id === second && run.status === "succeeded");
    });
    expect(arrivals()).toHaveLength(3);
  });

  test("executes no run for a disabled Project Client, and resumes once it is enabled", async () => {
    const id = await bed.register(clientId);
    // The worker caches the client's state for a second.
    await bed.invoke(id);
    await bed.runWhen(id, ({ status }) => status === "succeeded");
    await bed.identity.disableClient(clientId);
    const skipped = await eventually(
      async () => {
        await bed.invoke(id);
        return (await bed.runsOf(id)).find(({ status }) => status === "skipped");
      },
      { timeoutMs: 3_000 },
    );
    expect(skipped.error).toBe("project_client_disabled");
    await bed.identity.enableClient(clientId);
    const made = (await bed.runsOf(id)).filter(({ status }) => status === "succeeded").length;
    await eventually(async () => {
      await bed.invoke(id);
      return (await bed.runsOf(id)).filter(({ status }) => status === "succeeded").length > made;
    });
  });
  test("executes no run while Redis is unavailable and cannot meter it, and executes it when Redis is back", async () => {
    const id = await bed.register(clientId);
    await bed.redis.kill();
    await bed.invoke(id);
    await bed.runWhen(id, ({ status }) => status === "pending");
    expect(arrivals()).toEqual([]);
    await bed.redis.start();
    await eventually(async () => {
      bed.advance(2);
      return (await bed.runsOf(id)).some(({ status }) => status === "succeeded");
    });
    expect(arrivals()).toHaveLength(1);
  });
});
