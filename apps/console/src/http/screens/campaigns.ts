import { type Campaign, CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { CampaignOperationsService, type CampaignReportRow } from "@platform/proto/ads/v1/campaign_operations_admin";
import { html } from "@platform/service-kit/http/html";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import {
  copyable,
  countOf,
  facts,
  idLink,
  isoOf,
  moneyOf,
  section,
  stateOf,
  table,
  timeOf,
} from "../pages/elements.ts";
import { figure, lastDays } from "../pages/figure.ts";
import type { Action, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { refusalsPart } from "./campaign-refusals.ts";
import { create } from "./create-campaign.ts";
import { issueAdServer } from "./machine-tokens.ts";

const admin = CampaignAdminService.method;
const operations = CampaignOperationsService.method;
const plotDays = 30;

const list: Listing<Campaign> = {
  path: "/campaigns",
  title: "Campaigns",
  method: admin.listCampaigns,
  isOfClient: false,
  columns: [
    { key: "id", title: "Campaign", value: ({ id }) => id, cell: ({ id }) => idLink("/campaigns", id) },
    { key: "name", title: "Name", value: ({ name }) => name, cell: ({ id, name }) => idLink("/campaigns", id, name) },
    { key: "status", title: "Status", value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
    {
      key: "project_client_id",
      title: "Project Client",
      value: ({ projectClientId }) => projectClientId ?? null,
      cell: ({ projectClientId }) => idLink("/clients", projectClientId),
    },
    { key: "impressions", title: "Impressions", value: ({ impressions }) => Number(impressions) },
    {
      key: "charged_minor",
      title: "Charged",
      value: ({ chargedMinor }) => Number(chargedMinor),
      cell: ({ chargedMinor, currency }) => moneyOf(chargedMinor, currency),
    },
    {
      key: "budget_minor",
      title: "Budget",
      value: ({ budgetMinor }) => Number(budgetMinor),
      cell: ({ budgetMinor, currency }) => moneyOf(budgetMinor, currency),
    },
    { key: "currency", title: "Currency", value: ({ currency }) => currency },
    { key: "ends_at", title: "Ends", value: ({ endsAt }) => isoOf(endsAt), cell: ({ endsAt }) => timeOf(endsAt) },
  ],
  read: async (visit, _filters, { limit, cursor }) => {
    const { campaigns: rows } = await visit.ask(admin.listCampaigns, {
      afterId: cursor,
      limit,
      newestFirst: true,
    });
    return { rows, nextCursor: rows.length < limit ? "" : (rows.at(-1)?.id ?? "") };
  },
  empty: "There is no campaign. An operator makes one here.",
  above: async (visit) => actionLinks(visit, [create]),
};

async function readCampaign(visit: Visit): Promise<Campaign> {
  const { campaign } = await visit.ask(admin.getCampaign, { campaignId: visit.param("id") });
  if (campaign === undefined) throw new PageProblem(404, "There is nothing here", "There is no such campaign.");
  return campaign;
}

const crumbsOf = ({ id, name }: Campaign): [string, string][] => [
  ["Campaigns", "/campaigns"],
  [name, `/campaigns/${id}`],
];

/** One figure of a report by day, days without any being 0. */
function daily(rows: readonly CampaignReportRow[], value: (row: CampaignReportRow) => bigint) {
  return lastDays(plotDays).map((day) => {
    const row = rows.find(({ key }) => key === day.toISOString().slice(0, 10));
    return { x: day, y: row === undefined ? 0 : Number(value(row)) };
  });
}

async function campaignPage(visit: Visit) {
  const campaign = await readCampaign(visit);
  const [{ rows: days }, { rows: placements }] = await Promise.all([
    visit.ask(operations.reportCampaign, { campaignId: campaign.id, by: "day" }),
    visit.ask(operations.reportCampaign, { campaignId: campaign.id, by: "placement" }),
  ]);
  const isOver = campaign.status === "ended";
  const actions = isOver ? [] : [campaign.status === "paused" ? resume : pause, raise, end];
  let sum = days
    .filter(({ key }) => key < (lastDays(plotDays)[0]?.toISOString() ?? ""))
    .reduce((total, row) => total + Number(row.chargedMinor), 0);
  const charged = daily(days, ({ chargedMinor }) => chargedMinor).map(({ x, y }) => {
    sum += y;
    return { x, y: sum };
  });
  const share = campaign.budgetMinor === 0n ? 0 : (100 * Number(campaign.chargedMinor)) / Number(campaign.budgetMinor);
  const common = { xTitle: "day (UTC)" } as const;
  return {
    title: campaign.name,
    crumbs: crumbsOf(campaign).slice(0, 1),
    body: html`${actionLinks(visit, actions, campaign.id)}${isOver ? null : actionLinks(visit, [issueAdServer], "", `?campaign=${campaign.id}`)}
<section aria-label="Campaign">${facts([
      ["Id", copyable(campaign.id)],
      ["Status", stateOf(campaign.status)],
      [
        "Charged",
        `${moneyOf(campaign.chargedMinor, campaign.currency)} of ${moneyOf(campaign.budgetMinor, campaign.currency)} (${share.toFixed(1)} %)`,
      ],
      ["Impressions", countOf(campaign.impressions)],
      ["Price of 1,000", moneyOf(campaign.cpmMinor, campaign.currency)],
      ["Project Client", idLink("/clients", campaign.projectClientId)],
      ["Destination", html`<code>${campaign.destinationUrl}</code>`],
      ["Starts", timeOf(campaign.startsAt ?? campaign.createdAt)],
      ["Ends", timeOf(campaign.endsAt)],
      ["Budget exhausted", timeOf(campaign.exhaustedAt)],
      ["Ad servers", html`<a href="/campaigns/ad-servers?campaign=${campaign.id}">Their tokens</a>`],
    ])}</section>
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
        { name: "refused for the budget", points: daily(days, ({ refused }) => refused) },
      ],
    }),
  ])}</div>`,
)}
${await refusalsPart(visit, campaign.id, days)}
${section(
  "Placements",
  table(
    "By placement",
    ["Placement", "Impressions", "Charged", "Refused for the budget"],
    placements.map((row) => [
      row.key,
      countOf(row.impressions),
      moneyOf(row.chargedMinor, campaign.currency),
      countOf(row.refused),
    ]),
    "No impression was recorded yet.",
  ),
)}`,
  };
}

/** What is done to one campaign. */
function change(verb: string, options: Omit<Action, "path" | "describe"> & { readonly what: string }): Action {
  const { what, ...rest } = options;
  return {
    ...rest,
    path: `/campaigns/:id/${verb}`,
    describe: async (visit) => {
      const campaign = await readCampaign(visit);
      return {
        crumbs: crumbsOf(campaign),
        what: html`<p>${what}</p>${facts([
          ["Campaign", campaign.name],
          [
            "Charged",
            `${moneyOf(campaign.chargedMinor, campaign.currency)} of ${moneyOf(campaign.budgetMinor, campaign.currency)}`,
          ],
        ])}`,
      };
    },
  };
}

const back = (visit: Visit, notice: string) => ({ redirect: `/campaigns/${visit.param("id")}`, notice });

const pause = change("pause", {
  title: "Pause",
  button: "Pause it",
  method: operations.pauseCampaign,
  what: "No decisions are issued from now on. Those that were issued stay good.",
  run: async (visit, options) => {
    await visit.ask(operations.pauseCampaign, { campaignId: visit.param("id") }, options);
    return back(visit, "The campaign is paused.");
  },
});

const resume = change("resume", {
  title: "Resume",
  button: "Resume it",
  method: operations.resumeCampaign,
  what: "Decisions are issued again.",
  run: async (visit, options) => {
    await visit.ask(operations.resumeCampaign, { campaignId: visit.param("id") }, options);
    return back(visit, "The campaign goes on.");
  },
});

const end = change("end", {
  title: "End",
  button: "End it for good",
  isDanger: true,
  method: operations.endCampaign,
  what: "It ends for good: no decision is issued or valid any more. This cannot be taken back.",
  run: async (visit, options) => {
    await visit.ask(operations.endCampaign, { campaignId: visit.param("id") }, options);
    return back(visit, "The campaign has ended.");
  },
});

const raise: Action = {
  ...change("raise-budget", {
    title: "Raise the budget",
    button: "Raise it",
    method: operations.raiseCampaignBudget,
    what: "The most the campaign is ever charged is raised. Impressions that the budget before could not pay stay free.",
    run: async (visit, options) => {
      const budget = visit.field("budget");
      if (!/^[1-9]\d{0,15}$/.test(budget))
        throw new PageProblem(422, "This cannot be done", "A budget is a whole number of minor units.");
      await visit.ask(
        operations.raiseCampaignBudget,
        { campaignId: visit.param("id"), budgetMinor: BigInt(budget) },
        options,
      );
      return back(visit, "The budget was raised.");
    },
  }),
  fields: async (visit) => {
    const { budgetMinor, currency } = await readCampaign(visit);
    return [
      {
        name: "budget",
        label: `New budget in minor units of ${currency}`,
        hint: `More than ${budgetMinor}.`,
        type: "number",
        isRequired: true,
      },
    ];
  },
};

export const campaigns: Screen = {
  lists: [list],
  actions: [create, pause, resume, raise, end],
  views: [{ path: "/campaigns/:id", method: admin.getCampaign, show: campaignPage }],
};
