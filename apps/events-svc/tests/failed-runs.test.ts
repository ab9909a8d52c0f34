import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { MongoClient } from "mongodb";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operatorCall } from "./fixture.ts";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";

let bed: ScheduleBed;
let driver: MongoClient;
beforeAll(async () => {
  bed = await startScheduleBed();
  driver = await MongoClient.connect(bed.mongo.uri);
});
afterAll(async () => {
  await driver.close();
  await bed.close();
});

const runs = () => driver.db(bed.mongo.database).collection<{ _id: string }>("scheduled_runs");
const since = timestampFromDate(new Date(0));

/** Stores failed runs of an operation, one per minute, in the state after their last attempt. */
async function storeFailedRuns(projectClientId: string, operationId: string, count: number): Promise<string[]> {
  const start = Date.now() - 86_400_000;
  const documents = Array.from({ length: count }, (_, at) => ({
    _id: newId(),
    project_client_id: projectClientId,
    operation_id: operationId,
    scheduled_for: new Date(start + at * 60_000),
    state: "failed",
    attempts: [{ at: new Date(start), status_code: 500, error: "status_500", response: null }],
    attempt_count: 5,
    tries_made: 5,
    tries_left: 0,
  }));
  await runs().insertMany(documents);
  return documents.map(({ _id }) => _id);
}

const list = (projectClientId: string, page: object = {}) =>
  bed.server.runAdmin.listFailedRuns({ projectClientId, ...page }, operatorCall());
const redrive = (projectClientId: string, more: object = {}) =>
  bed.server.runAdmin.redriveRuns({ projectClientId, since, ...more }, operatorCall());

describe("the failed runs of all clients", () => {
  test("lists failed runs newest first, each with its client, and reads only one page of documents", async () => {
    const [one, other] = [await bed.identity.createClient(), await bed.identity.createClient()];
    const [first, second] = [await bed.register(one), await bed.register(other)];
    const stored = [...(await storeFailedRuns(one, first, 30)), ...(await storeFailedRuns(other, second, 30))];
    const seen: string[] = [];
    const clients = new Set<string>();
    for (let cursor = ""; ; ) {
      const page = await list("", { limit: 50, cursor });
      seen.push(...page.runs.map(({ id }) => id));
      for (const { projectClientId } of page.runs) clients.add(projectClientId);
      cursor = page.nextCursor;
      if (cursor === "") break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(stored.every((id) => seen.includes(id))).toBe(true);
    expect([clients.has(one), clients.has(other)]).toEqual([true, true]);
    const examined = await bed.mongo.examined("scheduled_runs", () => list("", { limit: 2 }));
    expect(Math.max(...examined)).toBeLessThanOrEqual(5);
  });
});

describe("the failed runs of a client", () => {
  test("lists a client's failed runs across its operations, newest first, and reads only one page of documents", async () => {
    const clientId = await bed.identity.createClient();
    const [first, second] = [await bed.register(clientId), await bed.register(clientId, { name: "hourly.sync" })];
    await storeFailedRuns(clientId, first, 40);
    const [latest] = (await storeFailedRuns(clientId, second, 41)).slice(-1);
    const page = await list(clientId, { limit: 2 });
    expect(page.runs[0]).toMatchObject({
      id: latest,
      operationId: second,
      operationName: "hourly.sync",
      attempts: 5,
      statusCode: 500,
      error: "status_500",
    });
    const next = await list(clientId, { limit: 2, cursor: page.nextCursor });
    expect(new Set([...page.runs, ...next.runs].map(({ id }) => id)).size).toBe(4);
    const examined = await bed.mongo.examined("scheduled_runs", async () => {
      await list(clientId, { limit: 2, cursor: page.nextCursor });
      await list(clientId, { limit: 2, since: timestampFromDate(new Date(Date.now() - 86_400_000)) });
    });
    expect(Math.max(...examined)).toBeLessThanOrEqual(5);
  });

  test("redrives failed runs in batches, each once, and skips those of a disabled operation", async () => {
    const clientId = await bed.identity.createClient();
    const [active, disabled] = [await bed.register(clientId), await bed.register(clientId)];
    const ids = await storeFailedRuns(clientId, active, 5);
    await storeFailedRuns(clientId, disabled, 2);
    await bed.server.scheduleAdmin.disableScheduledOperation({ operationId: disabled }, operatorCall());
    expect(await redrive(clientId, { dryRun: true })).toMatchObject({ matched: 7, redriven: 0, skipped: 2 });
    const first = await redrive(clientId, { limit: 3 });
    const rest = await redrive(clientId, { cursor: first.nextCursor });
    expect(first.matched + rest.matched).toBe(7);
    expect([first.redriven + rest.redriven, first.skipped + rest.skipped, rest.nextCursor]).toEqual([5, 2, ""]);
    expect(await redrive(clientId)).toMatchObject({ matched: 2, redriven: 0, skipped: 2 });
    for (const id of ids) await bed.runWhen(active, (run) => run.id === id && run.status === "succeeded");
    expect(bed.target.arrivalsAt(`/${clientId}`)).toHaveLength(5);
  });

  test("redrives each failed run only once if two operators do so at the same time", async () => {
    const clientId = await bed.identity.createClient();
    await storeFailedRuns(clientId, await bed.register(clientId), 6);
    const answers = await Promise.all([redrive(clientId), redrive(clientId)]);
    expect(answers.reduce((sum, { redriven }) => sum + redriven, 0)).toBe(6);
  });

  test("refuses to redrive failed runs without a start time", async () => {
    const projectClientId = await bed.identity.createClient();
    await expect(bed.server.runAdmin.redriveRuns({ projectClientId }, operatorCall())).rejects.toMatchObject({
      code: "contract_violation",
    });
  });
});

describe("a replaced secret", () => {
  const oldSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
  const rotate = (operationId: string, overlapSeconds?: number, secret = newSecret) =>
    bed.server.runAdmin.rotateScheduledSecret({ operationId, secret, ...defined({ overlapSeconds }) }, operatorCall());
  /** The secrets with which a receiver that follows Standard Webhooks accepts the last call. */
  const acceptedBy = async (clientId: string, operationId: string): Promise<string[]> => {
    const invocationId = await bed.invoke(operationId);
    await bed.runWhen(operationId, (run) => run.id === invocationId && run.status === "succeeded");
    const arrival = bed.target.arrivalsAt(`/${clientId}`).at(-1);
    const names = { old: oldSecret, new: newSecret };
    return Object.entries(names).flatMap(([name, secret]) => {
      try {
        new Webhook(secret).verify(arrival?.body.toString() ?? "", arrival?.headers as Record<string, string>);
        return [name];
      } catch {
        return [];
      }
    });
  };

  test("signs with both secrets during the overlap, and only with the new one afterwards, in a running worker", async () => {
    const clientId = await bed.identity.createClient();
    const operationId = await bed.register(clientId, { secret: oldSecret });
    expect(await acceptedBy(clientId, operationId)).toEqual(["old"]);
    const { previousUntil } = await rotate(operationId, 120);
    expect(previousUntil).toBeDefined();
    expect(await acceptedBy(clientId, operationId)).toEqual(["old", "new"]);
    bed.advance(121);
    expect(await acceptedBy(clientId, operationId)).toEqual(["new"]);
    bed.advance(-121);
  });

  test("stops signing with the old secret immediately if there is no overlap", async () => {
    const clientId = await bed.identity.createClient();
    const operationId = await bed.register(clientId, { secret: oldSecret });
    expect(await acceptedBy(clientId, operationId)).toEqual(["old"]);
    await rotate(operationId, 0);
    expect(await acceptedBy(clientId, operationId)).toEqual(["new"]);
  });

  test("refuses a secret that cannot be decoded, and an operation that does not exist", async () => {
    const operationId = await bed.register(await bed.identity.createClient());
    for (const secret of ["short", `whsec_${"*".repeat(40)}`]) {
      await expect(rotate(operationId, 0, secret)).rejects.toMatchObject({ code: "contract_violation" });
    }
    await expect(rotate(newId())).rejects.toMatchObject({ code: "contract_violation" });
  });
});
