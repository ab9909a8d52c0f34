import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { type Subscription, SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { type HtmlValue, html } from "@platform/service-kit/http/html";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { copyable, countOf, facts, idLink, isoOf, section, stateOf, timeOf } from "../pages/elements.ts";
import { figure } from "../pages/figure.ts";
import type { Action, Filters, Listing, View } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = SubscriptionAdminService.method;

const tabs = (clientId: string): HtmlValue =>
  html`<p class="actions"><a class="button second" href="/events?client=${clientId}">Log</a>
<a class="button second" href="/events/consumers?client=${clientId}">Consumers</a></p>`;

export const subscriptionList: Listing<Subscription> = {
  path: "/events/subscriptions",
  title: "Subscriptions",
  method: admin.listSubscriptions,
  isOfClient: true,
  crumbs: [["Events", "/events"]],
  columns: [
    { key: "id", title: "Subscription", value: ({ id }) => id, cell: ({ id }) => idLink("/subscriptions", id) },
    { key: "types", title: "Types", value: ({ types }) => types.join(" ") },
    { key: "order", title: "Order", value: ({ order }) => order },
    { key: "status", title: "Status", value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
    { key: "position", title: "Position", value: ({ position }) => Number(position) },
    { key: "lag", title: "Lag", value: ({ lag }) => Number(lag) },
    { key: "failures", title: "Failures", value: ({ failures }) => Number(failures) },
    {
      key: "operation_id",
      title: "Operation",
      value: ({ operationId }) => operationId,
      cell: ({ operationId, projectClientId }) => idLink("/schedules", operationId, undefined, projectClientId),
    },
    {
      key: "created_at",
      title: "Made",
      value: ({ createdAt }) => isoOf(createdAt),
      cell: ({ createdAt }) => timeOf(createdAt),
    },
  ],
  read: async (visit, filters, page) => {
    const { subscriptions: rows, nextCursor } = await visit.ask(admin.listSubscriptions, {
      projectClientId: filters.client ?? "",
      ...page,
    });
    return { rows, nextCursor };
  },
  empty: "Nothing is called for this client's events. An operator binds a scheduled operation to event types here.",
  above: async (visit, filters) =>
    html`${tabs(filters.client ?? "")}${actionLinks(visit, [create], "", `?client=${encodeURIComponent(filters.client ?? "")}`)}`,
  plots: lagPlot,
};

async function lagPlot(visit: Visit, filters: Filters): Promise<HtmlValue> {
  const { subscriptions } = await visit.ask(admin.listSubscriptions, {
    projectClientId: filters.client ?? "",
    limit: 20,
  });
  if (subscriptions.length === 0) return null;
  const points = subscriptions.map(({ id, types, lag }) => ({
    x: `${types[0] ?? ""} …${id.slice(-4)}`,
    y: Number(lag),
  }));
  return section(
    "Lag",
    await figure({
      title: "Events behind the log's end",
      unit: "events",
      xTitle: "subscription",
      kind: "bar",
      series: [{ name: "lag", points }],
    }),
  );
}

async function readSubscription(visit: Visit): Promise<Subscription> {
  const { subscription } = await visit.ask(admin.getSubscription, { subscriptionId: visit.param("id") });
  if (subscription === undefined) throw new PageProblem(404, "There is nothing here", "There is no such subscription.");
  return subscription;
}

const crumbsOf = ({ id, projectClientId }: Subscription): [string, string][] => [
  ["Subscriptions", `/events/subscriptions?client=${projectClientId}`],
  [`Subscription ${id}`, `/subscriptions/${id}`],
];

async function subscriptionPage(visit: Visit) {
  const subscription = await readSubscription(visit);
  const changes = { active: [pause, replay, remove], paused: [resume, replay, remove] } as Record<string, Action[]>;
  const byStatus = changes[subscription.status] ?? [remove];
  return {
    title: `Subscription ${subscription.id}`,
    crumbs: crumbsOf(subscription).slice(0, 1),
    clientId: subscription.projectClientId,
    body: html`${actionLinks(visit, byStatus, subscription.id)}
<section aria-label="Subscription">${facts([
      ["Id", copyable(subscription.id)],
      ["Status", stateOf(subscription.status)],
      ["Types", subscription.types.map((type) => html`<code>${type}</code> `)],
      ["Order", subscription.order],
      ["Position", countOf(subscription.position)],
      ["Lag", countOf(subscription.lag)],
      ["Events that fail", countOf(subscription.failures)],
      ["Calls", idLink("/schedules", subscription.operationId, "the operation", subscription.projectClientId)],
      ["Project Client", idLink("/clients", subscription.projectClientId)],
      ["Made", timeOf(subscription.createdAt)],
    ])}</section>`,
  };
}

/** A change of state of one subscription. */
function change(options: {
  readonly verb: string;
  readonly title: string;
  readonly button: string;
  readonly method: Action["method"];
  readonly what: string;
  readonly notice: string;
  readonly isDanger?: boolean;
  readonly run: Action["run"];
}): Action {
  const { verb, what, notice, run, ...rest } = options;
  return {
    ...rest,
    path: `/subscriptions/:id/${verb}`,
    describe: async (visit) => {
      const subscription = await readSubscription(visit);
      return {
        crumbs: crumbsOf(subscription),
        what: html`<p>${what}</p>${facts([
          ["Types", subscription.types.join(" ")],
          ["Lag", countOf(subscription.lag)],
        ])}`,
      };
    },
    run: async (visit, reason) => {
      const { projectClientId } = await readSubscription(visit);
      await run(visit, reason);
      const redirect =
        verb === "delete" ? `/events/subscriptions?client=${projectClientId}` : `/subscriptions/${visit.param("id")}`;
      return { redirect, notice };
    },
  };
}

const pause = change({
  verb: "pause",
  title: "Pause",
  button: "Pause it",
  method: admin.pauseSubscription,
  what: "Nothing is called until it is resumed; events wait.",
  notice: "The subscription is paused.",
  run: async (visit, reason) => {
    await visit.ask(admin.pauseSubscription, { subscriptionId: visit.param("id") }, reason);
    return null;
  },
});

const resume = change({
  verb: "resume",
  title: "Resume",
  button: "Resume it",
  method: admin.resumeSubscription,
  what: "It goes on where it was paused.",
  notice: "The subscription goes on.",
  run: async (visit, reason) => {
    await visit.ask(admin.resumeSubscription, { subscriptionId: visit.param("id") }, reason);
    return null;
  },
});

const remove = change({
  verb: "delete",
  title: "Delete",
  button: "Delete it",
  isDanger: true,
  method: admin.deleteSubscription,
  what: "It is removed. What it had still to call is not called.",
  notice: "The subscription is deleted.",
  run: async (visit, reason) => {
    await visit.ask(admin.deleteSubscription, { subscriptionId: visit.param("id") }, reason);
    return null;
  },
});

const position = (text: string): bigint => {
  if (!/^\d{1,15}$/.test(text)) throw new PageProblem(422, "This cannot be done", "A position is a whole number.");
  return BigInt(text);
};

const replay: Action = {
  ...change({
    verb: "replay",
    title: "Replay",
    button: "Call them once more",
    method: admin.replaySubscription,
    what: "A range of past events is called once more, beside the new ones.",
    notice: "The range is called once more.",
    run: async (visit, reason) => {
      const to = visit.field("to");
      await visit.ask(
        admin.replaySubscription,
        {
          subscriptionId: visit.param("id"),
          afterPosition: position(visit.field("from")),
          ...(to === "" ? {} : { toPosition: position(to) }),
        },
        reason,
      );
      return null;
    },
  }),
  fields: () => [
    { name: "from", label: "After position", hint: "0 begins with the first event.", isRequired: true, value: "0" },
    { name: "to", label: "Up to and with position", hint: "Empty: up to where the subscription has come." },
  ],
};

const create: Action = {
  path: "/events/subscriptions/new",
  title: "New subscription",
  button: "Make the subscription",
  method: admin.createSubscription,
  describe: async (visit) => ({
    crumbs: [["Subscriptions", `/events/subscriptions?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>The operation's URL is called for every event of these types, from now on.</p>`,
  }),
  fields: async (visit) => {
    const { operations } = await visit.ask(ScheduledOperationAdminService.method.listScheduledOperations, {
      projectClientId: visit.query("client"),
    });
    return [
      { name: "operation", label: "Operation", choices: operations.map(({ id, name }) => [id, name]) },
      { name: "types", label: "Types", hint: "With spaces between: order.placed order.* *", isRequired: true },
      {
        name: "order",
        label: "Order",
        choices: [
          ["none", "none"],
          ["stream", "within a stream"],
        ],
      },
    ];
  },
  run: async (visit, options) => {
    const { subscription } = await visit.ask(
      admin.createSubscription,
      {
        operationId: visit.field("operation"),
        types: visit
          .field("types")
          .split(/[\s,]+/)
          .filter((type) => type !== ""),
        order: visit.field("order"),
      },
      options,
    );
    return { redirect: `/subscriptions/${subscription?.id ?? ""}`, notice: "The subscription is active." };
  },
};

export const subscriptionActions: readonly Action[] = [create, pause, resume, replay, remove];
export const subscriptionViews: readonly View[] = [
  { path: "/subscriptions/:id", method: admin.getSubscription, show: subscriptionPage },
];
