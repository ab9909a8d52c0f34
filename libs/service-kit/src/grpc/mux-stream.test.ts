import fc from "fast-check";
import { expect, test } from "vitest";
import { CallsInFlight, type PendingCall } from "./mux-stream.ts";

const callNamed = (name: number): PendingCall => ({ name }) as unknown as PendingCall;

test("finds each call in flight by its id, whatever the order of answers", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 2_000 }), (steps) => {
      const calls = new CallsInFlight();
      const expected = new Map<number, PendingCall>();
      const ids = new Set<number>();
      for (const [index, step] of steps.entries()) {
        const open = [...expected];
        const [id, call] = open[step % open.length] ?? [];
        if (step % 3 === 0 && id !== undefined) {
          expect(calls.take(id)).toBe(call);
          expect(calls.take(id)).toBeUndefined();
          expected.delete(id);
        } else {
          const added = callNamed(index);
          const given = calls.add(added);
          expect(ids.has(given)).toBe(false);
          ids.add(given);
          expected.set(given, added);
        }
        expect(calls.size).toBe(expected.size);
      }
      expect(new Set(calls.all())).toEqual(new Set(expected.values()));
    }),
    { numRuns: 20 },
  );
});

test("keeps a call that lasts while thousands of others come and go", () => {
  const calls = new CallsInFlight();
  const long = callNamed(0);
  const longId = calls.add(long);
  for (let index = 0; index < 10_000; index += 1) {
    const id = calls.add(callNamed(index));
    expect(id).not.toBe(longId);
    calls.take(id);
  }
  expect(calls.all()).toEqual([long]);
  expect(calls.take(longId)).toBe(long);
  expect(calls.size).toBe(0);
});
