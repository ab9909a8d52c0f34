import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { html } from "@platform/service-kit/http/html";
import { PageProblem } from "../page-problem.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = CampaignAdminService.method;

function amountOf(visit: Visit, name: string, label: string): bigint {
  const text = visit.field(name);
  if (!/^\d{1,15}$/.test(text))
    throw new PageProblem(422, "This cannot be done", `${label} is a whole number of minor units.`);
  return BigInt(text);
}

function timeOf(visit: Visit, name: string, label: string): Date | null {
  const text = visit.field(name);
  if (text === "") return null;
  const at = new Date(`${text}Z`);
  if (Number.isNaN(at.getTime())) throw new PageProblem(422, "This cannot be done", `${label} is no time.`);
  return at;
}

export const create: Action = {
  path: "/campaigns/new",
  title: "New campaign",
  button: "Make the campaign",
  method: admin.createCampaign,
  isOnce: true,
  describe: async () => ({
    crumbs: [["Campaigns", "/campaigns"]],
    what: html`<p>Its price, window and destination never change afterwards; its budget can be raised. Money is in minor units: JPY 250 is 250, USD 2.50 is 250.</p>`,
  }),
  fields: async (visit) => [
    { name: "name", label: "Name", isRequired: true, maxLength: 255 },
    {
      name: "client",
      label: "Project Client",
      choices: [["", "none"], ...(await visit.projectClients()).map(({ id, name }): [string, string] => [id, name])],
      value: visit.query("client"),
    },
    { name: "currency", label: "Currency", hint: "Three capital letters: JPY, USD", isRequired: true, maxLength: 3 },
    { name: "cpm", label: "Price of 1,000 viewable impressions", type: "number", isRequired: true },
    { name: "budget", label: "Budget", hint: "The most it is ever charged.", type: "number", isRequired: true },
    { name: "url", label: "Destination", hint: "Where the ad leads: http or https.", type: "url", isRequired: true },
    { name: "starts", label: "Starts (UTC)", hint: "Empty: now.", type: "datetime-local" },
    { name: "ends", label: "Ends (UTC)", hint: "Empty: it does not end.", type: "datetime-local" },
  ],
  run: async (visit, options) => {
    const client = visit.field("client");
    const startsAt = timeOf(visit, "starts", "Starts");
    const endsAt = timeOf(visit, "ends", "Ends");
    const { campaign } = await visit.ask(
      admin.createCampaign,
      {
        name: visit.field("name"),
        currency: visit.field("currency"),
        cpmMinor: amountOf(visit, "cpm", "The price"),
        budgetMinor: amountOf(visit, "budget", "The budget"),
        destinationUrl: visit.field("url"),
        ...(client === "" ? {} : { projectClientId: client }),
        ...(startsAt === null ? {} : { startsAt: timestampFromDate(startsAt) }),
        ...(endsAt === null ? {} : { endsAt: timestampFromDate(endsAt) }),
      },
      options,
    );
    return { redirect: `/campaigns/${campaign?.id ?? ""}`, notice: "The campaign exists now." };
  },
};
