import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { deliveries as table } from "@platform/contracts/operator/deliveries";
import { html } from "@platform/kit/web/http";
import { DeliveryAdminService, type RetryDeliveriesResponse } from "@platform/proto/notify/v1/delivery_admin";
import { NotifyAdminService, type OperatorDelivery } from "@platform/proto/notify/v1/notify_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { facts, idLink, isoOf, section } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { sinceOf } from "../pages/time-filter.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Action, Filters, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { timeToSentPart } from "./time-to-sent.ts";

const plotDays = 14;
const plotRowsMax = 1_000;

const queryOf = (filters: Filters): string => {
  const { client = "", channel = "", error_code = "", template = "", since = "" } = filters;
  return `?${new URLSearchParams({ client, channel, error_code, template, since: since || "24h" })}`;
};

/** Returns the latest deliveries since a time, at most `plotRowsMax`. */
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
      ? `Deliveries in the last ${plotDays} days, by outcome`
      : `The latest ${plotRowsMax} deliveries, by outcome`;
  const series = byDay(
    rows,
    days,
    ({ createdAt }) => dateOf(createdAt),
    ({ channel, status }) => `${channel} ${status}`,
  );
  return section(
    "By outcome",
    await figure({ isWide: true, title, unit: "deliveries", xTitle: "day (UTC)", kind: "bar", series }),
  );
}

const dateOf = (at: OperatorDelivery["createdAt"]): Date | null => (at === undefined ? null : new Date(isoOf(at) ?? 0));

const retryFilterOf = (visit: Visit, until: Date) => ({
  projectClientId: visit.query("client"),
  channel: visit.query("channel"),
  errorCode: visit.query("error_code"),
  templateKey: visit.query("template"),
  ...sinceOf(visit.query("since") || "24h"),
  status: "failed",
  // With this end, deliveries that fail during the retry are not retried again.
  until: timestampFromDate(until),
});

/** Retries all matching deliveries, batch by batch. With `dryRun`, only counts them. */
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
  path: "/deliveries/retry",
  title: "Retry failed deliveries",
  button: "Continue",
  method: DeliveryAdminService.method.retryDeliveries,
  fields: () => [
    {
      name: "mode",
      label: "Action",
      choices: [
        ["count", "Count only"],
        ["send", "Retry all of them"],
      ],
    },
  ],
  describe: async (visit) => {
    const parts = ["channel", "error_code", "template"].map(
      (name) => [name.replace("_", " "), visit.query(name)] as const,
    );
    return {
      crumbs: [["Deliveries", `/deliveries?client=${visit.query("client")}`]],
      what: html`<p>Puts this project's failed deliveries that were accepted in the last ${visit.query("since") || "24h"} back into the queue, each with
a full set of attempts and another 24 hours. Deliveries that cannot be sent again are skipped.</p>${facts([
        ["Project", idLink("/clients", visit.query("client"))],
        ...parts.filter(([, value]) => value !== ""),
      ])}`,
    };
  },
  run: async (visit, options) => {
    const isCount = visit.field("mode") !== "send";
    const { matched, retried, skipped } = await retry(visit, isCount, options);
    const notice = isCount
      ? `${matched} failed deliveries match: ${retried} can be retried, ${skipped} cannot. Nothing was sent.`
      : `${matched} failed deliveries matched: ${retried} are in the queue again, ${skipped} were skipped.`;
    return {
      redirect: isCount ? visit.here({}) : `/deliveries?client=${encodeURIComponent(visit.query("client"))}`,
      notice,
    };
  },
};

async function readDelivery(visit: Visit): Promise<OperatorDelivery> {
  const { delivery } = await visit.ask(NotifyAdminService.method.showDelivery, { deliveryId: visit.param("id") });
  if (delivery === undefined) throw new PageProblem(404, "There is nothing here", "This delivery does not exist.");
  return delivery;
}

const retryOne: Action = {
  path: "/deliveries/:id/retry",
  title: "Retry",
  button: "Retry the delivery",
  method: NotifyAdminService.method.retryDelivery,
  describe: async (visit) => {
    const delivery = await readDelivery(visit);
    return {
      crumbs: [
        ["Deliveries", `/deliveries?client=${delivery.projectClientId}`],
        [`Delivery ${delivery.id}`, `/deliveries/${delivery.id}`],
      ],
      what: html`<p>The ${delivery.channel} delivery to ${delivery.addressHint} goes back into the queue, with a full set of attempts and another 24 hours.
Its last error was <code>${delivery.lastErrorCode ?? "none"}</code>.</p>`,
    };
  },
  run: async (visit, options) => {
    await visit.ask(NotifyAdminService.method.retryDelivery, { deliveryId: visit.param("id") }, options);
    return { redirect: `/deliveries/${visit.param("id")}`, notice: "The delivery is in the queue again." };
  },
};

const screen = screenOf(table, {
  // A client must be chosen for a retry, so that nobody retries the failed deliveries of all clients by accident.
  above: (visit, filters) => (filters.client ? actionLinks(visit, [retryAll], "", queryOf(filters)) : null),
  plots: async (visit, filters) => {
    const days = lastDays(plotDays);
    const latest = await latestDeliveries(visit, filters, days[0] ?? new Date());
    return html`${await outcomes(latest, days)}${await timeToSentPart(latest, filters.channel ?? "")}`;
  },
  show: async (visit, delivery: OperatorDelivery) =>
    html`${delivery.status === "failed" && actionLinks(visit, [retryOne], delivery.id)}${rowFacts(table, delivery)}`,
});

export const deliveries: Screen = { ...screen, actions: [retryAll, retryOne, ...(screen.actions ?? [])] };
