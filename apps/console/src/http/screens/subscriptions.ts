import { subscriptions } from "@platform/contracts/operator/subscriptions";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { section } from "../pages/elements.ts";
import { figure } from "../pages/figure.ts";
import { screenOf } from "../resource-screen.ts";
import type { Filters } from "../screen.ts";
import type { Visit } from "../visit.ts";

const tabs = (clientId: string): HtmlValue =>
  html`<p class="btn-list"><a class="btn" href="/events?client=${clientId}">Log</a>
<a class="btn" href="/events/consumers?client=${clientId}">Consumers</a></p>`;

async function lagPlot(visit: Visit, filters: Filters): Promise<HtmlValue> {
  const { subscriptions: listed } = await visit.ask(SubscriptionAdminService.method.listSubscriptions, {
    projectClientId: filters.client ?? "",
    limit: 20,
  });
  if (listed.length === 0) return null;
  const points = listed.map(({ id, types, lag }) => ({ x: `${types[0] ?? ""} …${id.slice(-4)}`, y: Number(lag) }));
  return section(
    "Lag",
    await figure({
      isWide: true,
      title: "Lag behind the end of the log",
      unit: "events",
      xTitle: "subscription",
      kind: "bar",
      series: [{ name: "lag", points }],
    }),
  );
}

export const subscriptionScreen = screenOf(subscriptions, {
  above: (_visit, { client = "" }) => tabs(client),
  plots: lagPlot,
});
