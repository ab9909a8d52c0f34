/**
 * Returns the local time of a time zone with weekday and offset, such as `Sun 2026-10-25 02:30 GMT+1`. The offset
 * distinguishes the two occurrences of an hour that is repeated.
 * @returns null for an unknown time zone
 */
export function wallClock(at: Date, timeZone: string): string | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZoneName: "shortOffset",
    });
  } catch {
    return null;
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { weekday, year, month, day, hour, minute, timeZoneName } = parts;
  const offset = timeZone === "UTC" ? "" : ` ${timeZoneName}`;
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute}${offset}`;
}
