/** A period that a time zone's wall clock skips. */
export type ClockGap = {
  /** The instant at which the clock jumps forward. */
  readonly endsAt: Date;
  /** The first missing minute and the first minute after the gap: local times, in milliseconds as if they were UTC. */
  readonly missingFromMs: number;
  readonly missingToMs: number;
};

/**
 * Finds the gaps of a time zone's clock after a time, up to and including another time. A gap is the start of
 * daylight saving time, or another change by which a country sets its clock forward.
 */
export function clockGaps(timezone: string, after: Date, to: Date): ClockGap[] {
  const gaps: ClockGap[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(after.getTime()).toZonedDateTimeISO(timezone);
  for (;;) {
    const next = at.getTimeZoneTransition("next");
    if (next === null || next.epochMilliseconds > to.getTime()) return gaps;
    const jumpMs = (next.offsetNanoseconds - next.subtract({ nanoseconds: 1 }).offsetNanoseconds) / 1_000_000;
    if (jumpMs > 0) {
      const missingToMs = next.epochMilliseconds + next.offsetNanoseconds / 1_000_000;
      gaps.push({ endsAt: new Date(next.epochMilliseconds), missingFromMs: missingToMs - jumpMs, missingToMs });
    }
    at = next;
  }
}
