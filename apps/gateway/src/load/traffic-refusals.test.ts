import { expect, test } from "vitest";
import type { Admission, AdmissionResult } from "../redis/admission.ts";
import { createTrafficRefusals } from "./traffic-refusals.ts";

const request = { traffic: { key: "counter", limit: 3 }, idempotency: null, spend: null };
const refused = (windowLeftMs: number): AdmissionResult => ({
  traffic: { remaining: 0, resetSeconds: 10 },
  outcome: { kind: "traffic_exceeded", refusal: { used: 3, limit: 3, retryAfterSeconds: 10, windowLeftMs } },
});
const admitted: AdmissionResult = {
  traffic: { remaining: 2, resetSeconds: 60 },
  outcome: { kind: "admitted" },
};

/** Refusals on a clock and with answers of Redis that the test decides; asking takes 5 ms. */
function refusalsOf(answers: AdmissionResult[]) {
  const clock = { ms: 1_000 };
  const refusals = createTrafficRefusals(() => clock.ms);
  const admission = refusals.remembering({
    admit: async () => {
      clock.ms += 5;
      return answers.shift() ?? admitted;
    },
    settle: async () => {},
  } satisfies Admission);
  return { clock, refusals, ask: () => admission.admit(request) };
}

test("an admission is never remembered", async () => {
  const { refusals, ask } = refusalsOf([admitted]);
  await ask();
  expect(refusals.isEmpty()).toBe(true);
  expect(refusals.find("counter", 3)).toBeNull();
});

test("a refusal is remembered with the figures Redis would answer, for one counter and one limit", async () => {
  const { clock, refusals, ask } = refusalsOf([refused(9_500)]);
  await ask();
  expect(refusals.find("another", 3)).toBeNull();
  expect(refusals.find("counter", 3)).toEqual({ used: 3, limit: 3, retryAfterSeconds: 10 });
  clock.ms += 600;
  expect(refusals.find("counter", 3)).toEqual({ used: 3, limit: 3, retryAfterSeconds: 9 });
  expect(refusals.find("counter", 4)).toBeNull();
});

test("a refusal ends no later than its window, by the clock of Redis", async () => {
  const { clock, refusals, ask } = refusalsOf([refused(400)]);
  await ask();
  // 400 ms from when Redis was asked: it answered later, so the window cannot have ended before.
  clock.ms += 394;
  expect(refusals.find("counter", 3)).not.toBeNull();
  clock.ms += 1;
  expect(refusals.find("counter", 3)).toBeNull();
});

test("each second one request asks Redis again, which may have lost the counter; what it answers holds", async () => {
  const { clock, refusals, ask } = refusalsOf([refused(50_000), refused(49_000), admitted]);
  await ask();
  clock.ms += 1_000;
  expect(refusals.find("counter", 3)).toBeNull();
  expect(refusals.find("counter", 3)).not.toBeNull();
  await ask();
  expect(refusals.find("counter", 3)).not.toBeNull();
  await ask();
  expect(refusals.find("counter", 3)).toBeNull();
});
