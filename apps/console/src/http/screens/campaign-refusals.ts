import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { CampaignOperationsService, type CampaignReportRow } from "@platform/proto/ads/v1/campaign_operations_admin";
import { countOf, section, table } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import type { Visit } from "../visit.ts";

const plotDays = 30;
const budget = "budget_exhausted";

/** The meaning of each reason, and what to check. */
const meanings: Readonly<Record<string, string>> = {
  below_threshold:
    "Not seen enough or for long enough. Its page reports too early, or the placement is rarely in view.",
  impossible_duration: "Seen for longer than since its decision: a wrong clock, or a report that is made up.",
  token_expired: "Reported after its decision expired. Pages are open for longer than the ad server's decisions live.",
  token_invalid: "Its terms are not those of the campaign.",
  campaign_ended: "Reported after the campaign was ended.",
  client_disabled: "The campaign's Project Client is disabled.",
  repeated: "Recorded before: it was reported again, and charged nothing.",
  [budget]: "Recorded, but the budget could not pay for it.",
};

type Refused = { readonly day: Date; readonly reason: string; readonly count: number };

/** Why impressions of a campaign were refused or not charged, by reason and by day. */
export async function refusalsPart(
  visit: Visit,
  campaignId: string,
  reported: readonly CampaignReportRow[],
): Promise<HtmlValue> {
  const days = lastDays(plotDays);
  const since = days[0] ?? new Date();
  const { refusals } = await visit.ask(CampaignOperationsService.method.listCampaignRefusals, {
    campaignId,
    since: timestampFromDate(since),
  });
  const refused: Refused[] = [
    ...refusals.map(({ day, reason, count }) => ({ day: new Date(day), reason, count: Number(count) })),
    ...reported.map(({ key, refused: count }) => ({ day: new Date(key), reason: budget, count: Number(count) })),
  ].filter(({ day, count }) => day >= since && count > 0);
  return section(
    "Reasons for refusals",
    table(
      `Refused in the last ${plotDays} days, by reason`,
      ["Reason", "Impressions", "Last on", "What it means"],
      byReason(refused).map(({ reason, count, last }) => [
        reason.replaceAll("_", " "),
        countOf(count),
        last.toISOString().slice(0, 10),
        meanings[reason] ?? null,
      ]),
      html`No impression was refused in the last ${plotDays} days. When one is, its reason is shown here within seconds.`,
    ),
    refused.length > 0 &&
      (await figure({
        isWide: true,
        title: "Refusals by reason",
        unit: "impressions",
        xTitle: "day (UTC)",
        kind: "bar",
        series: byDay(
          refused,
          days,
          ({ day }) => day,
          ({ reason }) => reason.replaceAll("_", " "),
          ({ count }) => count,
        ),
      })),
  );
}

/** The most frequent first. */
function byReason(refused: readonly Refused[]): { reason: string; count: number; last: Date }[] {
  const sums = new Map<string, { count: number; last: Date }>();
  for (const { reason, count, day } of refused) {
    const known = sums.get(reason) ?? { count: 0, last: day };
    sums.set(reason, { count: known.count + count, last: new Date(Math.max(day.getTime(), known.last.getTime())) });
  }
  return [...sums].map(([reason, sum]) => ({ reason, ...sum })).sort((a, b) => b.count - a.count);
}
