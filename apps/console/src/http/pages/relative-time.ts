const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
/** Number of days beyond which the date is more useful than the distance. */
const nearDays = 30;

const dayFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/**
 * Returns the distance between two times in one unit, rounded down ("3 min ago", "in 2 h"), or the UTC date if it is
 * more than 30 days.
 */
export function relativeTime(at: Date, now: Date): string {
  const distanceMs = Math.abs(now.getTime() - at.getTime());
  const isPast = at <= now;
  const say = (unitMs: number, unit: string): string => {
    const count = Math.floor(distanceMs / unitMs);
    const amount = unit === "day" ? `${count} ${count === 1 ? "day" : "days"}` : `${count} ${unit}`;
    return isPast ? `${amount} ago` : `in ${amount}`;
  };
  if (distanceMs < minuteMs) return isPast ? "just now" : "in less than 1 min";
  if (distanceMs < hourMs) return say(minuteMs, "min");
  if (distanceMs < dayMs) return say(hourMs, "h");
  return distanceMs < (nearDays + 1) * dayMs ? say(dayMs, "day") : dayFormat.format(at);
}
