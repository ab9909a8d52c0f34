import { expect, test } from "vitest";
import { cpuChecks, differenceCheck, type Measured, onlySuccesses, ratioCheck } from "./row.ts";

type Run = {
  readonly perSecond: number;
  readonly p99Ms?: number;
  readonly refusals?: Readonly<Record<string, number>>;
};
const contender = (name: string, runs: readonly Run[]): Measured => ({
  ...{ name, role: "ours", unit: "requests/s" },
  samples: runs.map(({ perSecond, p99Ms = 0, refusals = {} }) => ({
    ...{ count: perSecond, perSecond, p50Ms: 1, p99Ms, maxMs: p99Ms, refusals },
  })),
});

test("divides the medians of two contenders", () => {
  const measured = [
    contender("a", [{ perSecond: 900 }, { perSecond: 300 }, { perSecond: 400 }]),
    contender("b", [{ perSecond: 200 }, { perSecond: 100 }]),
  ];
  expect(ratioCheck(measured, ["a", "b"], { atLeast: 3 })).toMatchObject({ text: "a / b ≥ 3", met: false });
  expect(ratioCheck(measured, ["a", "b"], { atLeast: 2.6 })).toMatchObject({ text: "a / b ≥ 2.6", met: true });
});

test("prints the range of the ratios of the rounds beside the ratio of the medians", () => {
  const runs = (...figures: number[]) => figures.map((perSecond) => ({ perSecond }));
  const measured = [contender("a", runs(100, 220, 300)), contender("b", runs(200, 200, 200))];
  expect(ratioCheck(measured, ["a", "b"]).value).toBe("1.10 × (0.50–1.50)");
  const single = [contender("a", runs(220)), contender("b", runs(200))];
  expect(ratioCheck(single, ["a", "b"]).value).toBe("1.10 ×");
});

test.each([
  ["its own", [{ perSecond: 20_000, refusals: { 429: 19_000 } }], [{ perSecond: 12_000 }]],
  [
    "its peer's",
    [{ perSecond: 20_000 }],
    [{ perSecond: 12_000 }, { perSecond: 11_000, refusals: { 503: 18_000, lost: 1_000 } }],
  ],
])("misses a ratio that cheap refusals reach, and counts %s", (_, ours, peers) => {
  const measured = [contender("a", ours), contender("b", peers)];
  const check = ratioCheck(measured, ["a", "b"], { atLeast: 1.25 });
  expect(check).toMatchObject({ met: false, value: expect.stringMatching(/ with 19,000 not 2xx$/) });
  expect(ratioCheck(measured, ["a", "b"])).toMatchObject({ met: null, value: check.value });
});

test("misses a difference of latencies of which some belong to refusals", () => {
  const [quiet, bare] = [
    contender("a", [{ perSecond: 200, p99Ms: 30 }]),
    contender("b", [{ perSecond: 200, p99Ms: 10 }]),
  ];
  const target = { atMostMs: 25, figure: "p99Ms" } as const;
  expect(differenceCheck([quiet, bare], ["a", "b"], target)).toMatchObject({ value: "20.0 ms", met: true });
  const refused = contender("a", [{ perSecond: 200, p99Ms: 30, refusals: { unsent: 2 } }]);
  expect(differenceCheck([refused, bare], ["a", "b"], target)).toMatchObject({
    value: "20.0 ms with 2 not 2xx",
    met: false,
  });
});

test("requires only successes of a flood that is admitted", () => {
  const runs = [{ perSecond: 5_000 }, { perSecond: 6_000, refusals: { 429: 7 } }];
  expect(onlySuccesses([contender("flood", runs)], "flood")).toEqual({
    text: "flood, only 2xx",
    value: "11,000 responses with 7 not 2xx",
    met: false,
  });
  expect(onlySuccesses([contender("flood", runs.slice(0, 1))], "flood").met).toBe(true);
});

test("finds no success in a flood that received no response", () => {
  expect(onlySuccesses([contender("flood", [{ perSecond: 0 }])], "flood").met).toBe(false);
});

test("lists the median CPU time of each process that used some", () => {
  const used = (gateway: number) =>
    new Map([
      ["gateway", gateway],
      ["redis-server", 0.5],
      ["console", 0.01],
    ]);
  const measured = { ...contender("a", [{ perSecond: 1 }]), cpu: [used(1), used(3), used(2)] };
  expect(cpuChecks([measured, contender("b", [{ perSecond: 1 }])])).toEqual([
    { text: "CPU seconds in a run of a", value: "gateway 2.00, redis-server 0.50", met: null },
  ]);
});
