import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import type { NamedClient } from "../../calls/clients.ts";
import { countOf, idLink, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { byHour, figure, lastHours } from "../pages/figure.ts";
import type { Page } from "../pages/layout.ts";
import { amountOf, usageOf } from "../pages/usage.ts";
import { noProjects } from "../project-visitors.ts";
import type { Visit } from "../visit.ts";
import { projectPath } from "../within-project.ts";
import { orUnavailable } from "./client-page.ts";
import { isRefusal } from "./client-refusals.ts";
import { readEventPage } from "./event-tail.ts";

const admin = ProjectClientAdminService.method;
const listedMax = 10;
const expiringDays = 14;

/** Renders the first page of a project: recent activity, failures, and what will soon be used up or expire. */
export async function projectStart(visit: Visit): Promise<Page> {
  const { project } = visit;
  if (project === null) throw new Error("the start page is that of a project");
  const { projectClient } = await visit.ask(admin.showProjectClient, { projectClientId: project.id });
  const parts = [firstSteps, requests, quotas, failingSubscriptions, failedDeliveries, expiringCredentials];
  return {
    title: projectClient?.name ?? "",
    clientId: project.id,
    body: html`${projectClient?.disabled === true && html`<p class="alert alert-danger" role="status">This project is disabled. You can view it, but not change anything.</p>`}
${await Promise.all(parts.map((part) => orUnavailable(part(visit, project.id))))}`,
  };
}

/** Renders the first steps, which are shown until the project has published its first event. */
async function firstSteps(visit: Visit, clientId: string): Promise<HtmlValue> {
  if (!visit.may(DomainEventConsumerService.method.readEvents)) return null;
  if ((await readEventPage(visit, clientId, "", null)).head > 0n) return null;
  return section(
    "First steps",
    html`<ol><li><a href="/clients/${clientId}">Issue a credential</a> for your backend.</li>
<li>Publish an event with POST /api/v1/domain-events. It appears in the <a href="/events?client=${clientId}">event log</a>.</li>
<li><a href="/members?client=${clientId}">Invite your team</a>.</li></ol>`,
  );
}

async function requests(visit: Visit, clientId: string): Promise<HtmlValue> {
  const hours = lastHours(24);
  const counts = await usageOf(visit, clientId, hours[0] ?? new Date(), "hour");
  const counted = counts.filter(({ kind }) => kind === "requests" || isRefusal(kind));
  const sumOf = (isCounted: (kind: string) => boolean): number =>
    counts.filter(({ kind }) => isCounted(kind)).reduce((sum, { count }) => sum + Number(count), 0);
  return section(
    "Last 24 hours",
    table(
      "Requests of the last 24 hours",
      ["Requests", "Rejected"],
      [[countOf(sumOf((kind) => kind === "requests")), countOf(sumOf(isRefusal))]],
    ),
    await figure({
      isWide: true,
      title: "Requests and refusals by hour",
      unit: "requests",
      xTitle: "hour (UTC)",
      kind: "line",
      series: byHour(
        counted,
        hours,
        ({ at }) => (at === undefined ? null : timestampDate(at)),
        ({ kind }) => (isRefusal(kind) ? "refused" : "requests"),
        ({ count }) => Number(count),
      ),
    }),
  );
}

async function quotas(visit: Visit, clientId: string): Promise<HtmlValue> {
  const { quotas: states } = await visit.ask(admin.showQuotas, { projectClientId: clientId });
  return section(
    "Quotas",
    table(
      "Quotas",
      ["Resource", "Left", "Limit", "Window"],
      states.map(({ resource, used, limit, window }) => [
        resource.replaceAll("_", " "),
        amountOf(resource, limit > used ? limit - used : 0n),
        amountOf(resource, limit),
        window,
      ]),
    ),
  );
}

async function failingSubscriptions(visit: Visit, clientId: string): Promise<HtmlValue> {
  const { subscriptions } = await visit.ask(SubscriptionAdminService.method.listSubscriptions, {
    projectClientId: clientId,
    limit: 200,
  });
  const failing = subscriptions.filter(({ status, failures }) => status === "ended" || failures > 0n);
  return section(
    "Failing subscriptions",
    table(
      "Failing subscriptions",
      ["Subscription", "Types", "State", "Failures", "Lag"],
      failing
        .slice(0, listedMax)
        .map(({ id, types, status, failures, lag }) => [
          idLink("/subscriptions", id),
          types.join(" "),
          stateOf(status),
          countOf(failures),
          countOf(lag),
        ]),
      "No subscriptions are failing.",
    ),
  );
}

async function failedDeliveries(visit: Visit, clientId: string): Promise<HtmlValue> {
  const { deliveries } = await visit.ask(DeliveryAdminService.method.listDeliveries, {
    filter: { projectClientId: clientId, status: "failed" },
    limit: listedMax,
  });
  return section(
    "Failed deliveries",
    table(
      "Failed deliveries, newest first",
      ["Delivery", "Channel", "Error", "Created"],
      deliveries.map(({ id, channel, lastErrorCode, createdAt }) => [
        idLink("/deliveries", id),
        channel,
        lastErrorCode,
        timeOf(createdAt),
      ]),
      "No deliveries have failed.",
    ),
  );
}

async function expiringCredentials(visit: Visit, clientId: string): Promise<HtmlValue> {
  const { projectCredentials } = await visit.ask(admin.listProjectCredentials, {
    projectClientId: clientId,
    expiresWithinDays: expiringDays,
    limit: listedMax,
  });
  return section(
    "Expiring credentials",
    table(
      `Credentials that expire within ${expiringDays} days`,
      ["Credential", "Expires"],
      projectCredentials.map(({ id, name, expiresAt }) => [
        idLink("/credentials", id, name || undefined, clientId),
        timeOf(expiresAt),
      ]),
      `No credential expires within ${expiringDays} days.`,
    ),
  );
}

/** Renders the list of a person's projects. */
export function ownProjects(projects: readonly NamedClient[]): Page {
  return {
    title: "Your projects",
    body: table(
      "Your projects",
      ["Name", "Environment", "State"],
      projects.map(({ id, name, environment, disabled }) => [
        html`<a href="${projectPath(id)}">${name}</a>`,
        environment,
        stateOf(disabled ? "disabled" : "active"),
      ]),
      noProjects,
    ),
  };
}
