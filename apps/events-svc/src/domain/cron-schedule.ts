import { Cron } from "croner";

/** When an operation is due: five-field cron, read in an IANA time zone. */
export type CronSchedule = { readonly cron: string; readonly timezone: string };

/** A schedule that cannot be: the message says why and is shown to the operator. */
export class BadSchedule extends Error {}

/** Most missed times that are listed one by one. */
export const skippedMax = 100;

/**
 * Daylight saving time follows Vixie cron: a schedule with fixed minutes and hours (no `*`, no step) whose time falls into the gap runs
 * at the first minute after it, and one whose time comes twice runs at the first; all others go by the clock on the wall and so run
 * neither in a gap nor less often than their interval.
 */
function parse({ cron, timezone }: CronSchedule): Cron {
  return new Cron(cron, { mode: "5-part", timezone, fixedTimeRule: "no-wildcard", paused: true });
}

/**
 * Judges a schedule an operator gives.
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
    // An offset such as +09:00 is taken too; it is no name of the database and has no rules for daylight saving time.
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== null && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** The first due time after a moment, or null when there is none any more. */
export function nextDueTime(schedule: CronSchedule, after: Date): Date | null {
  return parse(schedule).nextRun(after);
}

/** The due time that runs, the missed ones before it (newest first, at most `skippedMax`), and the next due time. */
export type DueTimes = { readonly due: Date; readonly skipped: readonly Date[]; readonly next: Date | null };

/**
 * Sorts out a schedule whose next time has come. After an outage only the latest time runs: a backlog is no reason for a burst.
 * @param firstDue the earliest time not dealt with, at or before now
 */
export function dueTimes(schedule: CronSchedule, firstDue: Date, now: Date): DueTimes {
  const cron = parse(schedule);
  const following = cron.nextRun(firstDue);
  if (following === null || following > now) return { due: firstDue, skipped: [], next: following };
  // croner answers the times strictly before the one given, so a second later takes in `now` itself.
  const passed = cron
    .previousRuns(skippedMax + 2, new Date(now.getTime() + 1_000))
    .filter((time) => time > firstDue && time <= now);
  const [due = firstDue, ...earlier] = passed;
  const skipped = earlier.length < skippedMax ? [...earlier, firstDue] : earlier.slice(0, skippedMax);
  return { due, skipped, next: cron.nextRun(due) };
}
