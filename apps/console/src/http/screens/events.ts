import { consumers } from "@platform/contracts/operator/consumers";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { type Consumer, ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import type { DomainEvent } from "@platform/proto/events/v1/events_service";
import { actionLinks } from "../action.ts";
import { clientFields, clientOf } from "../list.ts";
import { copyable, countOf, section, table, timeOf } from "../pages/elements.ts";
import { fieldHtml } from "../pages/fields.ts";
import { figure } from "../pages/figure.ts";
import { usageByDay } from "../pages/usage.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { shownData } from "./event-data.ts";
import { readEventPage, tailView } from "./event-tail.ts";
import { issueConsumer, rotateConsumer } from "./machine-tokens.ts";
import { subscriptionScreen } from "./subscriptions.ts";

const plotDays = 30;

/** Renders the links between the pages of this screen. */
export const eventTabs = (clientId: string): HtmlValue =>
  html`<p class="btn-list"><a class="btn" href="/events?client=${clientId}">Log</a>
<a class="btn" href="/events/subscriptions?client=${clientId}">Subscriptions</a>
<a class="btn" href="/events/consumers?client=${clientId}">Consumers</a></p>`;

export function eventRow(position: bigint, event: DomainEvent): HtmlValue {
  const { id, type, publishedAt, streamId, sequence, dataJson, origin } = event;
  return html`<li>${String(position)} <strong>${type}</strong> ${timeOf(publishedAt)} ${copyable(id)}${
    streamId !== undefined && html` stream <code>${streamId}</code> ${String(sequence ?? "")}`
  }${origin === "platform" && html` by the platform`}<pre tabindex="0">${shownData(dataJson)}</pre></li>`;
}

/** Renders the latest events. New events are added to the page as they arrive. */
async function logPage(visit: Visit) {
  const clientId = await clientOf(visit);
  const type = visit.query("type");
  const before = /^\d{1,15}$/.test(visit.query("before")) ? BigInt(visit.query("before")) : null;
  const [{ events, head, from }, usage, projects, readers] = await Promise.all([
    readEventPage(visit, clientId, type, before),
    usageByDay(visit, clientId, plotDays, (kind) => kind === "events"),
    clientFields(visit, clientId),
    consumersPart(visit, clientId),
  ]);
  const tail = `/events/tail?${new URLSearchParams({ client: clientId, type, after: String(head) })}`;
  return {
    title: "Events",
    clientId,
    body: html`${eventTabs(clientId)}
<form class="filters d-flex flex-wrap gap-2 align-items-end mb-3" method="get" action="/events" aria-label="Filters">${projects.map((field) => fieldHtml(field, "filter"))}${fieldHtml(
      { name: "type", label: "Type", hint: "such as order.placed or order.*", value: type },
      "filter",
    )}<button class="btn">Show</button></form>
${section("By day", await figure({ isWide: true, title: `Events published in the last ${plotDays} days`, unit: "events", xTitle: "day (UTC)", kind: "bar", series: usage }))}
${readers}
<section aria-label="Log"><h2>${before === null ? "Latest events" : `Events before position ${String(before)}`}</h2>
<p class="text-secondary" id="tail-state" role="status">${before === null ? "Reload the page to see newer events." : ""}</p>
<ol${before === null && html` data-tail="${tail}"`}>${events.map(({ position, event }) => eventRow(position, event))}</ol>
${events.length === 0 && html`<p class="text-secondary">The log contains no such events. The project publishes events with <code>POST /api/v1/domain-events</code>.</p>`}
<ul class="btn-list list-unstyled">${from > 0n && html`<li><a href="${visit.here({ before: String(from + 1n) })}">Older events</a></li>`}
${before !== null && html`<li><a href="${visit.here({ before: null })}">Latest events</a></li>`}</ul></section>`,
  };
}

const admin = ConsumerAdminService.method;
const consumerScreen = screenOf(consumers, {
  above: (visit, { client = "" }) =>
    html`${eventTabs(client)}${actionLinks(visit, [issueConsumer], "", `?client=${encodeURIComponent(client)}`)}`,
  show: async (visit, consumer: Consumer) =>
    html`${consumer.revokedAt === undefined && actionLinks(visit, [rotateConsumer], consumer.id, `?client=${consumer.projectClientId}`)}
${rowFacts(consumers, consumer)}`,
});

/** Renders the readers of the log, and the lag of each. */
async function consumersPart(visit: Visit, clientId: string): Promise<HtmlValue> {
  if (!visit.may(admin.listConsumers)) return null;
  const reply = await visit.ask(admin.listConsumers, { projectClientId: clientId, limit: 200 });
  const active = reply.consumers.filter(({ revokedAt }) => revokedAt === undefined);
  return section(
    "Consumers",
    table(
      "Consumers of this project's events",
      ["Consumer", "Name", "Position", "Lag"],
      active.map(({ id, name, position, lag }) => [
        copyable(id),
        name,
        position === undefined ? "not read yet" : countOf(position),
        countOf(lag ?? 0n),
      ]),
      consumerScreen.lists?.[0]?.empty,
    ),
  );
}

export const events: Screen = {
  lists: [...(subscriptionScreen.lists ?? []), ...(consumerScreen.lists ?? [])],
  // These actions must come before the page of a consumer, whose path would match theirs.
  actions: [issueConsumer, rotateConsumer, ...(consumerScreen.actions ?? []), ...(subscriptionScreen.actions ?? [])],
  views: [
    { path: "/events", method: DomainEventConsumerService.method.readEvents, show: logPage },
    tailView,
    ...(subscriptionScreen.views ?? []),
    ...(consumerScreen.views ?? []),
  ],
};
