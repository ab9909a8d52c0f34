import { expect, test } from "vitest";
import type { LoggedEvent } from "../../domain/domain-event.ts";
import { createEventLender } from "./load-events.ts";

const logged = (id: string, bytes: number): LoggedEvent => ({
  position: 1,
  event: {
    id,
    project_client_id: "client",
    type: "order.placed",
    schema_version: 1,
    data_json: "x".repeat(bytes),
    stream_id: null,
    sequence: null,
    occurred_at: null,
    published_at: new Date(0),
    origin: "client",
  },
});

const deferred = () => Promise.withResolvers<void>();

test("reads the events of concurrent calls by one command", async () => {
  const reads: (readonly string[])[] = [];
  const lend = createEventLender(async (ids) => {
    reads.push(ids);
    return new Map(ids.map((id) => [id, logged(id, 10)]));
  });
  const used = await Promise.all(["a", "b", "a"].map((id) => lend(id, async (event) => event?.event.id)));
  expect(used).toEqual(["a", "b", "a"]);
  expect(reads).toEqual([["a", "b"]]);
});

test("loads at most its budget of bytes, and more once some are released", async () => {
  const reads: string[] = [];
  const lend = createEventLender(async (ids) => {
    reads.push(...ids);
    return new Map(ids.map((id) => [id, logged(id, 100)]));
  }, 100);
  const first = deferred();
  const isLent = deferred();
  const one = lend("one", async () => {
    isLent.resolve();
    await first.promise;
  });
  await isLent.promise;
  const two = lend("two", async (event) => event?.event.id);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toEqual(["one"]);
  first.resolve();
  await one;
  expect(await two).toBe("two");
});

test("returns null for a missing event, and fails only the calls of a failed read", async () => {
  let isDown = true;
  const lend = createEventLender(async () => {
    if (isDown) throw new Error("down");
    return new Map();
  });
  await expect(lend("one", async () => "used")).rejects.toThrow("down");
  isDown = false;
  expect(await lend("two", async (event) => event)).toBeNull();
});
