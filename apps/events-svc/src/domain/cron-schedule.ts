import { Cron } from "croner";
import { clockGaps } from "./clock-gaps.ts";

/** A five-field cron expression, evaluated in an IANA time zone. */
export type CronSchedule = { readonly cron: string; readonly timezone: string };

/** Thrown for an invalid schedule. The message tells the operator the reason. */
export class BadSchedule extends Error {}

/** Maximum number of missed times that are listed one by one. */
export const skippedMax = 100;

/**
 * Parses a schedule. Daylight saving time is handled as in Vixie cron. A schedule with fixed minutes and hours (no
 * `*`, no step) runs at the first minute after a gap, and only once in a repeated hour. All others follow the wall
 * clock: they skip the gap, and run again in a repeated hour.
 */
function parse({ cron, timezone }: CronSchedule): Cron {
  return new Cron(cron, { mode: "5-part", timezone, fixedTimeRule: "no-wildcard", paused: true });
}

/**
 * How far ahead a schedule without a regular due time is searched for one that falls into a gap. The next 29 February
 * may be eight years away.
 */
const lookAheadMs = 9 * 366 * 86_400_000;

/** Returns whether the minute and the hour are fixed. Schedules without fixed times skip a gap. */
const isFixed = (cron: string): boolean => !/[*/]/.test(cron.trim().split(/\s+/).slice(0, 2).join(" "));

/**
 * Finds the gaps after `after`, up to `to`, that contain a time of a fixed schedule, and returns their ends, because
 * the schedule is due in the first minute after the gap. croner loses such a time if the gap ends at midnight,
 * because the time then belongs to another day. The missing local time is matched as UTC, which has no gaps.
 */
function gapDueTimes({ cron, timezone }: CronSchedule, after: Date, to: Date): Date[] {
  if (!isFixed(cron)) return [];
  const wallClock = new Cron(cron, { mode: "5-part", timezone: "UTC", paused: true });
  return clockGaps(timezone, after, to)
    .filter(({ missingFromMs, missingToMs }) => {
      // croner returns only times after the given one, so the search starts a second earlier.
      const time = wallClock.nextRun(new Date(missingFromMs - 1_000));
      return time !== null && time.getTime() < missingToMs;
    })
    .map(({ endsAt }) => endsAt);
}

/**
 * Validates an operator's schedule.
 * @throws BadSchedule
 */
export function checkSchedule(schedule: CronSchedule, now: Date): void {
  if (schedule.cron.trim().split(/\s+/).length !== 5) {
    throw new BadSchedule("a schedule has five fields: minute, hour, day of month, month, day of week");
  }
  if (!isTimeZone(schedule.timezone)) throw new BadSchedule(`"${schedule.timezone}" is no IANA time zone`);
  let next: Date | null;
  try {
    next = parse(schedule).nextRun(now);
  } catch (error) {
    throw new BadSchedule(`"${schedule.cron}" is no cron schedule: ${(error as Error).message}`);
  }
  if (next === null) throw new BadSchedule(`"${schedule.cron}" never comes`);
}

function isTimeZone(name: string): boolean {
  try {
    // Offsets such as +09:00 are accepted, although they are not names of the time zone database and have no daylight
    // saving time.
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== null && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** Returns the first due time after a moment; null if there is none. */
export function nextDueTime(schedule: CronSchedule, after: Date): Date | null {
  const next = parse(schedule).nextRun(after);
  return gapDueTimes(schedule, after, next ?? new Date(after.getTime() + lookAheadMs))[0] ?? next;
}

/** Number of due times that are shown in advance. */
const shownAhead = 5;

/** The next five due times, starting with the first; fewer if there are no more. */
export function nextDueTimes(schedule: CronSchedule, first: Date): Date[] {
  const runs = parse(schedule).nextRuns(shownAhead - 1, first);
  const last = runs.length < shownAhead - 1 ? undefined : runs.at(-1);
  const gaps = gapDueTimes(schedule, first, last ?? new Date(first.getTime() + lookAheadMs));
  return latestFirst([first, ...runs, ...gaps])
    .reverse()
    .slice(0, shownAhead);
}

/**
 * The due time for which a run is executed, the missed ones before it (newest first, at most `skippedMax`), and the
 * next due time.
 */
export type DueTimes = { readonly due: Date; readonly skipped: readonly Date[]; readonly next: Date | null };

/**
 * Determines which due time runs. After an outage only the latest one does, so that a backlog does not become a burst.
 * @param firstDue the earliest due time that has no run yet, at or before now
 */
export function dueTimes(schedule: CronSchedule, firstDue: Date, now: Date): DueTimes {
  const cron = parse(schedule);
  const following = nextDueTime(schedule, firstDue);
  if (following === null || following > now) return { due: firstDue, skipped: [], next: following };
  // croner returns only times before the given one, so the search starts a second later to include `now` itself.
  const runs = cron.previousRuns(skippedMax + 2, new Date(now.getTime() + 1_000));
  const passed = latestFirst([...runs, ...gapDueTimes(schedule, firstDue, now)]).filter(
    (time) => time > firstDue && time <= now,
  );
  const [due = firstDue, ...earlier] = passed;
  const skipped = earlier.length < skippedMax ? [...earlier, firstDue] : earlier.slice(0, skippedMax);
  return { due, skipped, next: nextDueTime(schedule, due) };
}

/** The times without repetitions, latest first. */
const latestFirst = (times: readonly Date[]): Date[] =>
  [...new Set(times.map((time) => time.getTime()))].sort((a, b) => b - a).map((ms) => new Date(ms));
