import { describe, expect, test } from "vitest";
import { clockGaps } from "./clock-gaps.ts";
import { BadSchedule, checkSchedule, dueTimes, nextDueTime, nextDueTimes, skippedMax } from "./cron-schedule.ts";

const berlin = "Europe/Berlin";
const at = (text: string): Date => new Date(text);

function dueAfter(cron: string, timezone: string, after: string, count: number): string[] {
  const times: string[] = [];
  for (let time = at(after); times.length < count; ) {
    const next = nextDueTime({ cron, timezone }, time);
    if (next === null) break;
    times.push(next.toISOString().slice(5, 16));
    time = next;
  }
  return times;
}

describe("due times", () => {
  test("computes due times in the schedule's time zone", () => {
    expect(dueAfter("0 9 * * 1", "Asia/Tokyo", "2026-11-21T00:00:00Z", 2)).toEqual(["11-23T00:00", "11-30T00:00"]);
  });

  test("returns due times strictly after the given instant", () => {
    expect(dueAfter("*/5 * * * *", "UTC", "2026-01-01T00:05:00Z", 1)).toEqual(["01-01T00:10"]);
  });
});

describe("the next five due times", () => {
  const shown = (cron: string, timezone: string, first: string) =>
    nextDueTimes({ cron, timezone }, at(first)).map((time) => time.toISOString().slice(0, 16));

  test("lists the next due times in order, starting with the first one", () => {
    for (const [cron, timezone] of [
      ["*/5 * * * *", "UTC"],
      ["30 2 * * *", berlin],
      ["0 9 * * 1-5", "Asia/Tokyo"],
      ["30 23 * * *", "America/Nuuk"],
      ["0 0 29 2 *", "UTC"],
    ] as const) {
      const first = nextDueTime({ cron, timezone }, at("2027-03-26T12:00:00Z")) ?? at("");
      const following = dueAfter(cron, timezone, first.toISOString(), 4);
      expect(shown(cron, timezone, first.toISOString()).map((time) => time.slice(5))).toEqual([
        first.toISOString().slice(5, 16),
        ...following,
      ]);
    }
  });

  test("moves a time that the clock skips to the first minute after the gap", () => {
    expect(shown("30 2 * * *", berlin, "2026-03-28T01:30:00Z")).toEqual([
      "2026-03-28T01:30",
      "2026-03-29T01:00",
      "2026-03-30T00:30",
      "2026-03-31T00:30",
      "2026-04-01T00:30",
    ]);
  });
});

/**
 * In Berlin the clock jumps from 02:00 to 03:00 on 2026-03-29 (01:00 UTC), and from 03:00 back to 02:00 on 2026-10-25
 * (01:00 UTC).
 */
describe("daylight saving time", () => {
  test("runs a fixed time inside the gap at the first minute after it", () => {
    expect(dueAfter("30 2 * * *", berlin, "2026-03-28T12:00:00Z", 2)).toEqual(["03-29T01:00", "03-30T00:30"]);
  });

  test("runs a fixed time inside a gap that ends at midnight at midnight", () => {
    const nuuk = { timezone: "America/Nuuk" };
    const after = at("2026-11-25T00:00:00Z");
    expect(nextDueTime({ ...nuuk, cron: "30 23 27 3 *" }, after)).toEqual(at("2027-03-28T01:00:00Z"));
    expect(dueAfter("30 23 * * *", "America/Nuuk", "2027-03-27T02:00:00Z", 2)).toEqual(["03-28T01:00", "03-29T00:30"]);
  });

  test("lists a missed time that falls into a gap which ends at midnight", () => {
    const nightly = { cron: "30 23 * * *", timezone: "America/Nuuk" };
    expect(dueTimes(nightly, at("2027-03-27T01:30:00Z"), at("2027-03-29T12:00:00Z"))).toEqual({
      due: at("2027-03-29T00:30:00Z"),
      skipped: [at("2027-03-28T01:00:00Z"), at("2027-03-27T01:30:00Z")],
      next: at("2027-03-30T00:30:00Z"),
    });
  });

  test("runs a fixed time in every gap of every time zone once, at the gap's end", () => {
    const wrong: string[] = [];
    let count = 0;
    for (const timezone of Intl.supportedValuesOf("timeZone")) {
      for (const { endsAt, missingFromMs, missingToMs } of clockGaps(
        timezone,
        at("2015-01-01T00:00Z"),
        at("2040-01-01T00:00Z"),
      )) {
        const missing = new Date((missingFromMs + missingToMs) / 2);
        const [hour, minute] = [missing.getUTCHours(), missing.getUTCMinutes()];
        const date = `${missing.getUTCDate()} ${missing.getUTCMonth() + 1}`;
        const dayBefore = new Date(endsAt.getTime() - 12 * 3_600_000);
        for (const cron of [`${minute} ${hour} * * *`, `${minute} ${hour} ${date} *`]) {
          count += 1;
          const schedule = { cron, timezone };
          const due = nextDueTime(schedule, dayBefore);
          const next = nextDueTime(schedule, endsAt);
          const isOnce = next !== null && next.getTime() - endsAt.getTime() > 12 * 3_600_000;
          if (due?.getTime() !== endsAt.getTime() || !isOnce)
            wrong.push(
              `${timezone} ${cron}: ${due?.toISOString()} and ${next?.toISOString()}, not ${endsAt.toISOString()}`,
            );
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(1_000);
  });

  test("moves only the hour that falls into the gap", () => {
    expect(dueAfter("30 2,14 * * *", berlin, "2026-03-28T14:00:00Z", 3)).toEqual([
      "03-29T01:00",
      "03-29T12:30",
      "03-30T00:30",
    ]);
  });

  test("runs a fixed time in a repeated hour only once, the first time", () => {
    expect(dueAfter("30 2 * * *", berlin, "2026-10-24T12:00:00Z", 2)).toEqual(["10-25T00:30", "10-26T01:30"]);
  });

  test("continues an interval through the gap without a pause or a burst", () => {
    expect(dueAfter("*/20 * * * *", berlin, "2026-03-29T00:30:00Z", 4)).toEqual([
      "03-29T00:40",
      "03-29T01:00",
      "03-29T01:20",
      "03-29T01:40",
    ]);
  });

  test("runs an interval in both occurrences of a repeated hour", () => {
    expect(dueAfter("30 * * * *", berlin, "2026-10-25T00:00:00Z", 3)).toEqual([
      "10-25T00:30",
      "10-25T01:30",
      "10-25T02:30",
    ]);
  });
});

describe("after an outage", () => {
  const minutely = { cron: "* * * * *", timezone: "UTC" };
  test("runs only the latest missed time, skips the others, and continues the schedule", () => {
    const { due, skipped, next } = dueTimes(minutely, at("2026-01-01T00:01:00Z"), at("2026-01-01T00:05:30Z"));
    expect(due).toEqual(at("2026-01-01T00:05:00Z"));
    expect(skipped.map((time) => time.getUTCMinutes())).toEqual([4, 3, 2, 1]);
    expect(next).toEqual(at("2026-01-01T00:06:00Z"));
  });

  test("runs a time that is due in the current second", () => {
    const { due, skipped } = dueTimes(minutely, at("2026-01-01T00:01:00Z"), at("2026-01-01T00:02:00Z"));
    expect(due).toEqual(at("2026-01-01T00:02:00Z"));
    expect(skipped).toEqual([at("2026-01-01T00:01:00Z")]);
  });

  test("skips nothing if only one time was missed", () => {
    const { due, skipped } = dueTimes(minutely, at("2026-01-01T00:01:00Z"), at("2026-01-01T00:01:59Z"));
    expect([due, skipped]).toEqual([at("2026-01-01T00:01:00Z"), []]);
  });

  test("lists only the latest missed times after a year of missed minutes", () => {
    const { due, skipped } = dueTimes(minutely, at("2025-01-01T00:00:00Z"), at("2026-01-01T00:00:10Z"));
    expect(due).toEqual(at("2026-01-01T00:00:00Z"));
    expect(skipped).toHaveLength(skippedMax);
    expect(skipped[0]).toEqual(at("2025-12-31T23:59:00Z"));
  });

  test("finds the due times of a schedule that is due only every few years", () => {
    const leapDay = { cron: "0 0 29 2 *", timezone: "UTC" };
    const { due, skipped, next } = dueTimes(leapDay, at("2020-02-29T00:00:00Z"), at("2026-01-01T00:00:00Z"));
    expect([due, skipped, next]).toEqual([
      at("2024-02-29T00:00:00Z"),
      [at("2020-02-29T00:00:00Z")],
      at("2028-02-29T00:00:00Z"),
    ]);
  });
});

describe("an invalid schedule", () => {
  test.each([
    ["* * * * * *", "UTC", "five fields"],
    ["* * * *", "UTC", "five fields"],
    ["@daily", "UTC", "five fields"],
    ["61 * * * *", "UTC", "no cron schedule"],
    ["a b c d e", "UTC", "no cron schedule"],
    ["0 0 31 2 *", "UTC", "never comes"],
    ["* * * * *", "Mars/Olympus", "time zone"],
    ["* * * * *", "+09:00", "time zone"],
    ["* * * * *", "", "time zone"],
  ])("refuses the schedule %s in the time zone %s: %s", (cron, timezone, message) => {
    expect(() => checkSchedule({ cron, timezone }, at("2026-01-01T00:00:00Z"))).toThrow(BadSchedule);
    expect(() => checkSchedule({ cron, timezone }, at("2026-01-01T00:00:00Z"))).toThrow(message);
  });
});
