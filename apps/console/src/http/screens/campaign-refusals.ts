import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { CampaignOperationsService, type CampaignReportRow } from "@platform/proto/ads/v1/campaign_operations_admin";
import { countOf, section, table } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import type { Visit } from "../visit.ts";

const plotDays = 30;
const budget = "budget_exhausted";

/** The meaning of each reason, and what an operator should check. */
const meanings: Readonly<Record<string, string>> = {
  below_threshold:
    "The ad was not in view long enough or not enough of it was. The page reports too early, or the placement is rarely in view.",
  impossible_duration:
    "The reported time in view is longer than the time since the decision. The clock is wrong, or the report is forged.",
  token_expired:
    "The impression was reported after its decision had expired. Pages stay open longer than the ad server's decisions are valid.",
  token_invalid: "The terms in the decision differ from those of the campaign.",
  campaign_ended: "The impression was reported after the campaign had ended.",
  client_disabled: "The campaign's project is disabled.",
  repeated: "The impression had already been recorded. The repeated report is not charged.",
  [budget]: "The impression is recorded, but the budget did not cover its charge.",
};

type Refused = { readonly day: Date; readonly reason: string; readonly count: number };

/** Renders why impressions of a campaign were refused or not charged, by reason and by day. */
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
    "Rejected or uncharged impressions",
    table(
      `Impressions rejected or not charged in the last ${plotDays} days, by reason`,
      ["Reason", "Impressions", "Last day", "Meaning"],
      byReason(refused).map(({ reason, count, last }) => [
        reason.replaceAll("_", " "),
        countOf(count),
        last.toISOString().slice(0, 10),
        meanings[reason] ?? null,
      ]),
      html`Every impression of the last ${plotDays} days was accepted and charged. Reasons for rejections appear here within seconds.`,
    ),
    refused.length > 0 &&
      (await figure({
        isWide: true,
        title: "Impressions by reason",
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

/** Sums refusals by reason, the most frequent reason first. */
function byReason(refused: readonly Refused[]): { reason: string; count: number; last: Date }[] {
  const sums = new Map<string, { count: number; last: Date }>();
  for (const { reason, count, day } of refused) {
    const known = sums.get(reason) ?? { count: 0, last: day };
    sums.set(reason, { count: known.count + count, last: new Date(Math.max(day.getTime(), known.last.getTime())) });
  }
  return [...sums].map(([reason, sum]) => ({ reason, ...sum })).sort((a, b) => b.count - a.count);
}
