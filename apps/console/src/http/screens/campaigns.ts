import { campaigns as table } from "@platform/contracts/operator/campaigns";
import { type HtmlValue, html } from "@platform/kit/web/http";
import type { Campaign } from "@platform/proto/ads/v1/ads_admin";
import { CampaignOperationsService, type CampaignReportRow } from "@platform/proto/ads/v1/campaign_operations_admin";
import { actionLinks } from "../action.ts";
import { countOf, moneyOf, section, table as tableOf } from "../pages/elements.ts";
import { figure, lastDays } from "../pages/figure.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Visit } from "../visit.ts";
import { refusalsPart } from "./campaign-refusals.ts";
import { issueAdServer } from "./machine-tokens.ts";

const operations = CampaignOperationsService.method;
const plotDays = 30;

/** Returns one value of a report by day; days without a report are 0. */
function daily(rows: readonly CampaignReportRow[], value: (row: CampaignReportRow) => bigint) {
  return lastDays(plotDays).map((day) => {
    const row = rows.find(({ key }) => key === day.toISOString().slice(0, 10));
    return { x: day, y: row === undefined ? 0 : Number(value(row)) };
  });
}

/** Renders a campaign with its pacing, its refusals and its placements. */
async function campaignPage(visit: Visit, campaign: Campaign): Promise<HtmlValue> {
  const [{ rows: days }, { rows: placements }] = await Promise.all([
    visit.ask(operations.reportCampaign, { campaignId: campaign.id, by: "day" }),
    visit.ask(operations.reportCampaign, { campaignId: campaign.id, by: "placement" }),
  ]);
  let sum = days
    .filter(({ key }) => key < (lastDays(plotDays)[0]?.toISOString() ?? ""))
    .reduce((total, row) => total + Number(row.chargedMinor), 0);
  const charged = daily(days, ({ chargedMinor }) => chargedMinor).map(({ x, y }) => {
    sum += y;
    return { x, y: sum };
  });
  const share = campaign.budgetMinor === 0n ? 0 : (100 * Number(campaign.chargedMinor)) / Number(campaign.budgetMinor);
  const common = { xTitle: "day (UTC)" } as const;
  return html`${campaign.status === "ended" ? null : actionLinks(visit, [issueAdServer], "", `?campaign=${campaign.id}`)}
${rowFacts(table, campaign)}
<p>${share.toFixed(1)} % of the budget is charged. <a href="/campaigns/ad-servers?campaign=${campaign.id}">Ad servers of this campaign</a></p>
${section(
  "Pacing",
  html`<div class="grid">${await Promise.all([
    figure({
      ...common,
      title: "Charged against the budget",
      unit: `minor units of ${campaign.currency}`,
      kind: "line",
      series: [
        { name: "charged", points: charged },
        { name: "budget", points: charged.map(({ x }) => ({ x, y: Number(campaign.budgetMinor) })) },
      ],
    }),
    figure({
      ...common,
      title: "Impressions by day",
      unit: "impressions",
      kind: "bar",
      series: [
        { name: "charged", points: daily(days, ({ impressions, refused }) => impressions - refused) },
        { name: "not charged (budget)", points: daily(days, ({ refused }) => refused) },
      ],
    }),
  ])}</div>`,
)}
${await refusalsPart(visit, campaign.id, days)}
${section(
  "Placements",
  tableOf(
    "By placement",
    ["Placement", "Impressions", "Charged", "Not charged (budget)"],
    placements.map((row) => [
      row.key,
      countOf(row.impressions),
      moneyOf(row.chargedMinor, campaign.currency),
      countOf(row.refused),
    ]),
    "No impressions have been recorded yet.",
  ),
)}`;
}

const tabs = html`<p class="btn-list"><a class="btn" href="/campaigns/ad-servers">Ad servers</a>
<a class="btn" href="/campaigns/keys">Signing keys</a></p>`;

export const campaigns = screenOf(table, { above: () => tabs, show: campaignPage });
