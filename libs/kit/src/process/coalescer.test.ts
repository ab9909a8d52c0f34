import { expect, test } from "vitest";
import { createCoalescer } from "./coalescer.ts";

test("sends the items of a tick in one call, and returns to each its own result or failure", async () => {
  const calls: (readonly number[])[] = [];
  const square = createCoalescer<number, number>(
    async (items) => {
      calls.push(items);
      return { results: items.map((item) => item * item), failures: new Map([[1, new Error("no")]]) };
    },
    { itemsMax: 10, callsMax: 1 },
  );
  const outcomes = await Promise.allSettled([square(2), square(3), square(4)]);
  expect(calls).toEqual([[2, 3, 4]]);
  expect(outcomes).toEqual([
    { status: "fulfilled", value: 4 },
    { status: "rejected", reason: new Error("no") },
    { status: "fulfilled", value: 16 },
  ]);
});

test("fails every item of a call that throws, and none of the next one", async () => {
  let calls = 0;
  const send = createCoalescer<number>(
    async () => {
      calls += 1;
      if (calls === 1) throw new Error("down");
      return {};
    },
    { itemsMax: 2, callsMax: 1 },
  );
  const outcomes = await Promise.allSettled([send(1), send(2), send(3)]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});

test("gathers items that arrive while the allowed calls are in flight", async () => {
  const calls: (readonly number[])[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const send = createCoalescer<number>(
    async (items) => {
      calls.push(items);
      if (calls.length === 1) await mayEnd.promise;
      return {};
    },
    { itemsMax: 10, callsMax: 1 },
  );
  const first = send(1);
  await new Promise(setImmediate);
  const later = [send(2)];
  await new Promise(setImmediate);
  later.push(send(3));
  mayEnd.resolve();
  await Promise.all([first, ...later]);
  expect(calls).toEqual([[1], [2, 3]]);
});

test("does not delay a key for the call of another key", async () => {
  const calls: string[] = [];
  const send = createCoalescer<string>(
    (items, key) => {
      calls.push(`${key}: ${items.join(" ")}`);
      return key === "silent" ? new Promise(() => {}) : Promise.resolve({});
    },
    { itemsMax: 10, callsMax: 1, keyOf: (item) => item.split("-", 1)[0] ?? "" },
  );
  void send("silent-1");
  await Promise.all([send("good-1"), send("good-2")]);
  await send("good-3");
  expect(calls).toEqual(["silent: silent-1", "good: good-1 good-2", "good: good-3"]);
});

test("keeps a key within its limit of concurrent calls, even if calls end within the tick", async () => {
  let inFlight = 0;
  let most = 0;
  const ends: PromiseWithResolvers<void>[] = [];
  const send = createCoalescer<string>(
    async ([item = ""]) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (item !== "quick") {
        const end = Promise.withResolvers<void>();
        ends.push(end);
        await end.promise;
      }
      inFlight -= 1;
      return {};
    },
    { itemsMax: 10, callsMax: 1 },
  );
  const sent = [send("first")];
  await new Promise(setImmediate);
  // The end of the first call sends this item, before the scheduled flush runs.
  const quick = send("quick");
  ends[0]?.resolve();
  await quick;
  // The key's call is released some microtasks after its last result.
  for (let microtask = 0; microtask < 10; microtask += 1) await null;
  sent.push(send("third"));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  sent.push(send("fourth"));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  ends[1]?.resolve();
  await new Promise(setImmediate);
  for (const end of ends) end.resolve();
  await Promise.all(sent);
  expect(most).toBe(1);
});
