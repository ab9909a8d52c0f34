import { expect, test } from "vitest";
import type { LoggedEvent } from "../../domain/domain-event.ts";
import { callLimits } from "./claim-runs.ts";
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

const of = (clientId: string, eventId: string) => ({ clientId, eventId });
const reader = (bytes: number) => {
  const reads: (readonly string[])[] = [];
  const read = async (ids: readonly string[]) => {
    reads.push(ids);
    return new Map(ids.map((id) => [id, logged(id, bytes)]));
  };
  return { reads, read };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("reads the events of concurrent calls by one command", async () => {
  const { reads, read } = reader(10);
  const lend = createEventLender(read, callLimits.eventBytes);
  const used = await Promise.all(["a", "b", "a"].map((id) => lend(of("c", id), async (loan) => loan.take()?.event.id)));
  expect(used).toEqual(["a", "b", "a"]);
  expect(reads).toEqual([["a", "b"]]);
});

test("gives one client at most half of the memory budget, and more once some is released", async () => {
  const { reads, read } = reader(100);
  const lend = createEventLender(read, 400);
  const first = deferred();
  const lent: string[] = [];
  const calls = ["one", "two", "three"].map((id) =>
    lend(of("c", id), async () => {
      lent.push(id);
      await first.promise;
    }),
  );
  while (lent.length < 2) await settled();
  await settled();
  expect(reads.flat()).toEqual(["one", "two"]);
  first.resolve();
  await Promise.all(calls);
  expect(lent).toEqual(["one", "two", "three"]);
});

test("does not delay another tenant's event when one tenant's slow target holds memory", async () => {
  const { read } = reader(100);
  const lend = createEventLender(read, 400);
  const never = deferred();
  const slow = Array.from({ length: 50 }, (_, index) => lend(of("slow", `slow-${index}`), () => never.promise));
  const other = await lend(of("other", "other"), async (loan) => loan.take()?.event.id);
  expect(other).toBe("other");
  never.resolve();
  await Promise.all(slow);
});

test("gives a client that holds no memory enough for one event even if others hold the whole budget", async () => {
  const { read } = reader(100);
  const lend = createEventLender(read, 400);
  const never = deferred();
  const slow = ["a", "b", "c", "d"].flatMap((client) =>
    Array.from({ length: 5 }, (_, index) => lend(of(client, `${client}-${index}`), () => never.promise)),
  );
  expect(await lend(of("e", "e"), async (loan) => loan.take()?.event.id)).toBe("e");
  never.resolve();
  await Promise.all(slow);
});

test("returns an event's memory to the budget when it is released early", async () => {
  const { reads, read } = reader(100);
  const lend = createEventLender(read, 100);
  const [isLent, isSent, answer] = [deferred(), deferred(), deferred()];
  const one = lend(of("c", "one"), async (loan) => {
    isLent.resolve();
    await isSent.promise;
    loan.release();
    await answer.promise;
    return loan.take();
  });
  await isLent.promise;
  const two = lend(of("c", "two"), async (loan) => loan.take()?.event.id);
  await settled();
  expect(reads.flat()).toEqual(["one"]);
  isSent.resolve();
  expect(await two).toBe("two");
  answer.resolve();
  expect(await one).toBeNull();
});

test("reserves no memory for a missing event, and fails only the calls of a failed read", async () => {
  let isDown = true;
  const lend = createEventLender(async () => {
    if (isDown) throw new Error("down");
    return new Map();
  }, callLimits.eventBytes);
  await expect(lend(of("c", "one"), async () => "used")).rejects.toThrow("down");
  isDown = false;
  expect(await lend(of("c", "two"), async (loan) => loan.take())).toBeNull();
});
