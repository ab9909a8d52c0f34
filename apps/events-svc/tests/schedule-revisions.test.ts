import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { operatorCall } from "./fixture.ts";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";

let bed: ScheduleBed;
let operationId: string;
beforeAll(async () => {
  bed = await startScheduleBed({}, { hasWorker: false });
});
beforeEach(async () => {
  bed.setClock("2026-03-02T12:00:30.000Z");
  operationId = await bed.register(await bed.identity.createClient());
});
afterAll(() => bed.close());

const admin = () => bed.server.scheduleAdmin;
async function read() {
  const { operation } = await admin().getScheduledOperation({ operationId }, operatorCall());
  if (operation === undefined) throw new Error("there is no operation");
  return operation;
}
const nine = { cron: "0 9 * * *", timezone: "Asia/Tokyo" };
const setCron = (given: { cron: string; timezone: string; overlap?: string; revision?: number }) =>
  admin().setScheduledOperationCron({ operationId, ...given }, operatorCall());

describe("the schedule of an operation", () => {
  test("returns an operation with its client and its revision, and reports an unknown id", async () => {
    expect(await read()).toMatchObject({ id: operationId, revision: 0, overlap: "allow" });
    expect((await read()).projectClientId).toMatch(/^[0-9a-f-]{36}$/);
    await setCron(nine);
    expect(await read()).toMatchObject({ ...nine, revision: 1 });
    await expect(admin().getScheduledOperation({ operationId: "unknown" }, operatorCall())).rejects.toMatchObject({
      code: "contract_violation",
    });
  });

  test("accepts a change with the current revision or without a revision", async () => {
    await setCron({ ...nine, revision: 0 });
    const { operation } = await setCron({ ...nine, timezone: "UTC", revision: 1 });
    expect(operation).toMatchObject({ timezone: "UTC", revision: 2 });
    await setCron(nine);
    expect(await read()).toMatchObject({ ...nine, revision: 3 });
  });

  test.each([
    ["older than", 0],
    ["newer than", 2],
  ])("keeps the schedule when the change names a revision %s the current one", async (_name, revision) => {
    await setCron(nine);
    const refusal = { code: "revision_conflict", details: { revision: 1 } };
    await expect(setCron({ ...nine, timezone: "UTC", revision })).rejects.toMatchObject(refusal);
    await expect(
      admin().setScheduledOperationOverlap({ operationId, overlap: "skip", revision }, operatorCall()),
    ).rejects.toMatchObject(refusal);
    expect(await read()).toMatchObject({ ...nine, overlap: "allow", revision: 1 });
  });

  test("accepts only one of several concurrent changes that name the same revision", async () => {
    const changes = ["UTC", "Asia/Tokyo", "Europe/Berlin", "Asia/Seoul"].map((timezone) =>
      setCron({ cron: "0 9 * * *", timezone, revision: 0 }),
    );
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    expect((await read()).revision).toBe(1);
  });

  test("accepts all of several concurrent changes that name no revision", async () => {
    await Promise.all(
      ["skip", "queue"].map((overlap) =>
        admin().setScheduledOperationOverlap({ operationId, overlap }, operatorCall()),
      ),
    );
    await Promise.all([setCron(nine), admin().disableScheduledOperation({ operationId }, operatorCall())]);
    const operation = await read();
    expect(operation).toMatchObject({ ...nine, revision: 3, status: "disabled" });
    expect(operation.nextDueAt).toBeUndefined();
  });

  test("keeps the revision, and a due time that has not been recorded yet, if the schedule is saved unchanged", async () => {
    await setCron({ ...nine, overlap: "queue" });
    const before = await read();
    bed.advance(86_400);
    await setCron({ ...nine, overlap: "queue", revision: before.revision });
    await admin().setScheduledOperationOverlap(
      { operationId, overlap: "queue", revision: before.revision },
      operatorCall(),
    );
    expect(await read()).toEqual(before);
    expect(before.nextDueAt && timestampDate(before.nextDueAt).toISOString()).toBe("2026-03-03T00:00:00.000Z");
  });

  test("keeps the due time if only the overlap policy changes", async () => {
    await setCron(nine);
    const { nextDueAt } = await read();
    bed.advance(86_400);
    await setCron({ ...nine, overlap: "skip" });
    expect(await read()).toMatchObject({ overlap: "skip", revision: 2, nextDueAt });
  });
});
