import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { html } from "@platform/kit/web/http";
import { DeliveryAdminService, type RetryDeliveriesResponse } from "@platform/proto/notify/v1/delivery_admin";
import { NotifyAdminService, type OperatorDelivery } from "@platform/proto/notify/v1/notify_admin";
import { actionLinks } from "../action.ts";
import { facts, idLink, isoOf, section, stateOf, timeOf } from "../pages/elements.ts";
import { choicesOf } from "../pages/fields.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { sinceField, sinceOf } from "../pages/time-filter.ts";
import type { Action, Filters, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { channels } from "./channels.ts";
import { deliveryPage, readDelivery, retryOne, revealOne } from "./delivery.ts";
import { timeToSentPart } from "./time-to-sent.ts";

const plotDays = 14;
const plotRowsMax = 1_000;

const filterOf = (filters: Filters) => ({
  projectClientId: filters.client ?? "",
  channel: filters.channel ?? "",
  status: filters.status ?? "",
  errorCode: filters.error_code ?? "",
  templateKey: filters.template ?? "",
  endpointId: filters.endpoint ?? "",
  ...sinceOf(filters.since ?? ""),
});

const deliveries: Listing<OperatorDelivery> = {
  path: "/activity",
  title: "Activity",
  method: DeliveryAdminService.method.listDeliveries,
  isOfClient: true,
  filters: [
    { name: "channel", label: "Channel", choices: choicesOf(channels, "all") },
    { name: "status", label: "Status", choices: choicesOf(["pending", "sending", "sent", "failed"], "all") },
    { name: "error_code", label: "Error code" },
    { name: "template", label: "Template" },
    { name: "endpoint", label: "Endpoint id" },
    sinceField(),
  ],
  columns: [
    { key: "id", title: "Delivery", value: ({ id }) => id, cell: ({ id }) => idLink("/deliveries", id) },
    {
      key: "created_at",
      title: "Accepted",
      value: ({ createdAt }) => isoOf(createdAt),
      cell: ({ createdAt }) => timeOf(createdAt),
    },
    { key: "channel", title: "Channel", value: ({ channel }) => channel },
    { key: "status", title: "Status", value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
    { key: "attempts", title: "Attempts", value: ({ attempts }) => attempts },
    { key: "last_error_code", title: "Error", value: ({ lastErrorCode }) => lastErrorCode ?? null },
    {
      key: "template_key",
      title: "Template",
      value: ({ templateKey }) => templateKey ?? null,
      cell: ({ templateKey, projectClientId }) =>
        templateKey !== undefined &&
        html`<a href="/templates?client=${projectClientId}&amp;key=${encodeURIComponent(templateKey)}">${templateKey}</a>`,
    },
    { key: "address_hint", title: "Address", value: ({ addressHint }) => addressHint },
    {
      key: "endpoint_id",
      title: "Endpoint",
      value: ({ endpointId }) => endpointId,
      cell: ({ endpointId, projectClientId }) => idLink("/endpoints", endpointId, undefined, projectClientId),
    },
    {
      key: "finished_at",
      title: "Finished",
      value: ({ finishedAt }) => isoOf(finishedAt),
      cell: ({ finishedAt }) => timeOf(finishedAt),
    },
  ],
  read: async (visit, filters, page) => {
    const { deliveries: rows, nextCursor } = await visit.ask(DeliveryAdminService.method.listDeliveries, {
      filter: filterOf(filters),
      ...page,
    });
    return { rows, nextCursor };
  },
  empty: html`This client has sent nothing yet. A project sends by <code>POST /api/v1/notification-intents</code>.`,
  above: async (visit, filters) => actionLinks(visit, [retryAll], "", queryOf(filters)),
  plots: async (visit, filters) => {
    const days = lastDays(plotDays);
    const latest = await latestDeliveries(visit, filters, days[0] ?? new Date());
    return html`${await outcomes(latest, days)}${await timeToSentPart(latest, filters.channel ?? "")}`;
  },
};

const queryOf = (filters: Filters): string => {
  const { client = "", channel = "", error_code = "", template = "", since = "" } = filters;
  return `?${new URLSearchParams({ client, channel, error_code, template, since: since || "24h" })}`;
};

/** The latest deliveries since a time, at most `plotRowsMax`. */
async function latestDeliveries(visit: Visit, filters: Filters, from: Date): Promise<OperatorDelivery[]> {
  const rows: OperatorDelivery[] = [];
  const since = timestampFromDate(from);
  for (let cursor = ""; rows.length < plotRowsMax; ) {
    const page = await visit.ask(DeliveryAdminService.method.listDeliveries, {
      filter: { projectClientId: filters.client ?? "", channel: filters.channel ?? "", since },
      limit: 200,
      cursor,
    });
    rows.push(...page.deliveries);
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  return rows;
}

async function outcomes(rows: readonly OperatorDelivery[], days: readonly Date[]) {
  const title =
    rows.length < plotRowsMax
      ? `Deliveries of ${plotDays} days by outcome`
      : `The latest ${plotRowsMax} deliveries by outcome`;
  const series = byDay(
    rows,
    days,
    ({ createdAt }) => dateOf(createdAt),
    ({ channel, status }) => `${channel} ${status}`,
  );
  return section("By outcome", await figure({ title, unit: "deliveries", xTitle: "day (UTC)", kind: "bar", series }));
}

const dateOf = (at: OperatorDelivery["createdAt"]): Date | null => (at === undefined ? null : new Date(isoOf(at) ?? 0));

const retryFilterOf = (visit: Visit, until: Date) => ({
  ...filterOf({
    client: visit.query("client"),
    channel: visit.query("channel"),
    error_code: visit.query("error_code"),
    template: visit.query("template"),
    since: visit.query("since") || "24h",
    status: "failed",
  }),
  // What fails meanwhile is not met again.
  until: timestampFromDate(until),
});

/** Goes through all batches. */
async function retry(visit: Visit, dryRun: boolean, options: { readonly reason?: string }) {
  const filter = retryFilterOf(visit, new Date());
  const sum = { matched: 0, retried: 0, skipped: 0 };
  for (let cursor = "", isLast = false; !isLast; ) {
    const answer: RetryDeliveriesResponse = await visit.ask(
      DeliveryAdminService.method.retryDeliveries,
      { filter, dryRun, limit: 100, cursor },
      options,
    );
    sum.matched += answer.matched;
    sum.retried += answer.retried;
    sum.skipped += answer.skipped;
    cursor = answer.nextCursor;
    isLast = cursor === "";
  }
  return sum;
}

const retryAll: Action = {
  path: "/activity/retry",
  title: "Send failed ones again",
  button: "Go on",
  method: DeliveryAdminService.method.retryDeliveries,
  fields: () => [
    {
      name: "mode",
      label: "What to do",
      choices: [
        ["count", "Count only"],
        ["send", "Send all of them again"],
      ],
    },
  ],
  describe: async (visit) => {
    const parts = ["channel", "error_code", "template"].map(
      (name) => [name.replace("_", " "), visit.query(name)] as const,
    );
    return {
      crumbs: [["Activity", `/activity?client=${visit.query("client")}`]],
      what: html`<p>Failed deliveries of this client that were accepted since ${visit.query("since") || "24h"} ago go back into the queue, each with a fresh
count of attempts and another 24 hours. What cannot be sent again is skipped.</p>${facts([
        ["Project Client", idLink("/clients", visit.query("client"))],
        ...parts.filter(([, value]) => value !== ""),
      ])}`,
    };
  },
  run: async (visit, options) => {
    const isCount = visit.field("mode") !== "send";
    const { matched, retried, skipped } = await retry(visit, isCount, options);
    const notice = isCount
      ? `${matched} failed deliveries fit; ${retried} can be sent again, ${skipped} cannot. Nothing was sent.`
      : `${matched} failed deliveries fitted; ${retried} are in the queue again, ${skipped} were skipped.`;
    return {
      redirect: isCount ? visit.here({}) : `/activity?client=${encodeURIComponent(visit.query("client"))}`,
      notice,
    };
  },
};

export const activity: Screen = {
  lists: [deliveries],
  views: [
    {
      path: "/deliveries/:id",
      method: NotifyAdminService.method.showDelivery,
      show: async (visit) => deliveryPage(visit, await readDelivery(visit)),
    },
  ],
  actions: [retryAll, retryOne, revealOne],
};
