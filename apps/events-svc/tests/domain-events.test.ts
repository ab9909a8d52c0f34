import { newId } from "@platform/kit/process/secrets";
import type { TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callFor, startTestMongo, startTestServer } from "./fixture.ts";

let mongo: TestMongo;
let one: Awaited<ReturnType<typeof startTestServer>>;
let two: Awaited<ReturnType<typeof startTestServer>>;
let clientId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  one = await startTestServer(mongo);
  two = await startTestServer(mongo);
});
beforeEach(() => {
  clientId = newId();
});
afterAll(async () => {
  await one.close();
  await two.close();
  await mongo.close();
});

const input = { type: "order.placed", schemaVersion: 1, dataJson: '{"total":1}' };
type Claim = Parameters<typeof callFor>[1];
const publish = (fields: object = {}, claim: Claim = {}, server = one) =>
  server.events.publishDomainEvent({ ...input, ...fields }, callFor(clientId, claim));

describe("publishing a Domain Event", () => {
  test("returns the published event without the fields that it does not have", async () => {
    const { event, replayed } = await publish();
    expect(event).toMatchObject({ projectClientId: clientId, type: "order.placed", schemaVersion: 1 });
    expect([event?.streamId, event?.sequence, event?.occurredAt]).toEqual([undefined, undefined, undefined]);
    expect(event?.publishedAt).toBeDefined();
    expect(replayed).toBe(false);
  });

  test("stores the caller's JSON byte for byte, with any key names", async () => {
    const dataJson = '{"__proto__":{"$set":1},"a.b":[1.0,1e3],"é":"\\u0000x", "n":12345678901234567890}';
    const claim = { key: "exact" };
    await publish({ dataJson }, claim);
    const { event } = await publish({ dataJson }, claim);
    expect(event?.dataJson).toBe(dataJson);
  });

  test("publishes one event for a thousand concurrent repeats through two servers", async () => {
    const claim = { key: "once" };
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        publish({ streamId: "s", sequence: 1n }, claim, index % 2 === 0 ? one : two),
      ),
    );
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(
      new Set(
        answers.map(({ event }) =>
          JSON.stringify(event, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
        ),
      ).size,
    ).toBe(1);
  });

  test("refuses a key that another event has used", async () => {
    await publish({}, { key: "k", fingerprint: "a".repeat(64) });
    await expect(publish({}, { key: "k", fingerprint: "b".repeat(64) })).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });
});

describe("ordering by stream", () => {
  test("publishes exactly one of several concurrent events with the same sequence", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        publish({ streamId: "order-1", sequence: 7n }, {}, index % 2 === 0 ? one : two),
      ),
    );
    const failures = results.filter((result) => result.status === "rejected").map(({ reason }) => reason.code);
    expect(failures).toEqual(Array(19).fill("stream_sequence_conflict"));
  });

  test("accepts sequences in any order, independently for each stream and client", async () => {
    for (const sequence of [3n, 1n, 2n]) await publish({ streamId: "order-1", sequence });
    await publish({ streamId: "order-2", sequence: 1n });
    clientId = newId();
    await publish({ streamId: "order-1", sequence: 1n });
  });

  test("never reports a conflict for events without a stream", async () => {
    await Promise.all([publish(), publish(), publish()]);
  });

  test("allows the idempotency key to be used again after a conflict of sequences", async () => {
    await publish({ streamId: "s", sequence: 1n });
    const claim = { key: "again" };
    await expect(publish({ streamId: "s", sequence: 1n }, claim)).rejects.toMatchObject({
      code: "stream_sequence_conflict",
    });
    const { replayed } = await publish({ streamId: "s", sequence: 2n }, { ...claim, fingerprint: "b".repeat(64) });
    expect(replayed).toBe(false);
  });
});
