import { expect, test } from "vitest";
import type { ProbeResult } from "./honest-probe.ts";
import { alone, attacked } from "./phases.ts";
import { attemptRows, coreRows, isHeld, ratioOf, unanswered } from "./report.ts";

const phase = (p99Ms: number, failures: Record<string, number> = {}): ProbeResult => ({
  count: 100,
  p50Ms: 1,
  p99Ms,
  maxMs: p99Ms,
  failures,
});
const probe = (attackedP99Ms: number, failures: Record<string, number> = {}): Map<string, ProbeResult> =>
  new Map([
    [alone, phase(10)],
    [attacked, phase(attackedP99Ms, failures)],
  ]);
const verdict = (lost: readonly string[]) => ({
  kind: "events",
  asked: 1,
  acknowledged: 1,
  retried: 0,
  lost,
  doubled: [],
  refused: [],
  remarks: [],
});

const attempts = new Map([["viewer|overview|429", 9]]);

test("accepts a p99 of three times the p99 without attackers and rejects one just above it", () => {
  expect(isHeld({ probe: probe(30), verdicts: [verdict([])], attempts })).toBe(true);
  expect(isHeld({ probe: probe(30.1), verdicts: [verdict([])], attempts })).toBe(false);
});

test("rejects a run in which an acknowledged id is missing", () => {
  expect(isHeld({ probe: probe(10), verdicts: [verdict(["id"])], attempts })).toBe(false);
});

test("rejects a run in which an honest request failed during the attack", () => {
  expect(isHeld({ probe: probe(10, { 503: 1 }), verdicts: [], attempts })).toBe(false);
});

test("rejects a run in which a phase has no request", () => {
  expect(ratioOf(new Map())).toBeNaN();
  expect(isHeld({ probe: new Map(), verdicts: [], attempts })).toBe(false);
});

test("lists the outcomes of an attempt from the most frequent on", () => {
  const attempts = new Map([
    ["viewer|overview|200", 1],
    ["viewer|overview|429", 9],
  ]);
  expect(attemptRows(attempts, 20)).toEqual(["| viewer | overview | 0.5 | 9 × 429, 1 × 200 |"]);
});

test("rejects a run with an attempt that never reached the platform", () => {
  const broken = ["dependency_unavailable", "deadline_exceeded", "23", "ECONNRESET", "UND_ERR_SOCKET", "TimeoutError"];
  const silent = new Map(broken.map((outcome) => [`consumer|stream|${outcome}`, 1]));
  expect(unanswered(silent)).toEqual(["consumer: stream"]);
  expect(unanswered(new Map([...silent, ["consumer|stream|too_many_concurrent_calls", 1]]))).toEqual([]);
  expect(isHeld({ probe: probe(10), verdicts: [], attempts: new Map([...attempts, ...silent]) })).toBe(false);
  expect(isHeld({ probe: probe(10), verdicts: [], attempts: new Map() })).toBe(false);
});

test("lists the processes with the most processor time during attacks first, and their sum last", () => {
  const cores = new Map([
    [
      alone,
      new Map([
        ["gateway", 0.2],
        ["idle", 0.004],
      ]),
    ],
    [
      attacked,
      new Map([
        ["gateway", 0.5],
        ["console", 0.9],
        ["idle", 0.004],
      ]),
    ],
  ]);
  expect(coreRows(cores)).toEqual(["| console | 0 % | 90 % |", "| gateway | 20 % | 50 % |", "| all | 20 % | 140 % |"]);
});
