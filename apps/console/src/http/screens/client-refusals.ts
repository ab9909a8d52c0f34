import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import type { UsageCount } from "@platform/proto/operator/v1/usage_admin";
import { countOf, section, table } from "../pages/elements.ts";
import { byDay, byHour, figure, lastDays, lastHours } from "../pages/figure.ts";
import { usageOf } from "../pages/usage.ts";
import type { Visit } from "../visit.ts";

const plotDays = 30;
const plotHours = 48;
const prefix = "refused_";

/** Names of the reasons, with their meanings. */
const reasons: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  quota: ["quota", "A quota was exhausted (429). An operator can raise it."],
  overload: ["overload", "The platform was overloaded, or part of it was unavailable (503)."],
  access: ["access", "The credential does not have the scope of the operation (403)."],
  validation: ["validation", "The request violated the API contract (413, 415, 422)."],
  operation: [
    "operation",
    "The operation was not possible: an unknown id, a conflicting state, or a reused key (404, 409, 422).",
  ],
};

/** Returns whether the gateway counts rejected requests under this kind. */
export const isRefusal = (kind: string): boolean => kind.startsWith(prefix);

const reasonOf = ({ kind }: UsageCount): string => kind.slice(prefix.length);
const nameOf = (count: UsageCount): string => reasons[reasonOf(count)]?.[0] ?? reasonOf(count);
const timeOf = ({ at }: UsageCount): Date | null => (at === undefined ? null : timestampDate(at));
const numberOf = ({ count }: UsageCount): number => Number(count);

/** Renders the number of rejected requests of a Project Client, by reason, day and hour. */
export async function refusalsPart(visit: Visit, clientId: string): Promise<HtmlValue> {
  const days = lastDays(plotDays);
  const hours = lastHours(plotHours);
  const refusalsSince = async (since: Date, by: "day" | "hour"): Promise<UsageCount[]> =>
    (await usageOf(visit, clientId, since, by)).filter(({ kind }) => isRefusal(kind));
  const [daily, hourly] = await Promise.all([
    refusalsSince(days[0] ?? new Date(), "day"),
    refusalsSince(hours[0] ?? new Date(), "hour"),
  ]);
  const common = { unit: "requests", kind: "bar" } as const;
  return section(
    "Rejected requests",
    table(
      `Requests rejected in the last ${plotDays} days, by reason`,
      ["Reason", "Requests", "Meaning"],
      byReason(daily).map(([reason, count]) => [reasons[reason]?.[0] ?? reason, countOf(count), reasons[reason]?.[1]]),
      html`No request of this project was rejected in the last ${plotDays} days. Requests without a valid credential belong to no project: see the
<a href="/">overview</a>.`,
    ),
    daily.length > 0 &&
      html`<div class="grid">${await figure({
        ...common,
        title: `Rejected requests, last ${plotDays} days`,
        xTitle: "day (UTC)",
        series: byDay(daily, days, timeOf, nameOf, numberOf),
      })}${await figure({
        ...common,
        title: `Rejected requests, last ${plotHours} hours`,
        xTitle: "hour (UTC)",
        series: byHour(hourly, hours, timeOf, nameOf, numberOf),
      })}</div>`,
  );
}

/** Sums counts by reason, the most frequent reason first. */
function byReason(counts: readonly UsageCount[]): [reason: string, count: number][] {
  const sums = new Map<string, number>();
  for (const count of counts) sums.set(reasonOf(count), (sums.get(reasonOf(count)) ?? 0) + numberOf(count));
  return [...sums].sort(([, a], [, b]) => b - a);
}
