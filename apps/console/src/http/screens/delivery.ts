import { html } from "@platform/kit/web/http";
import { NotifyAdminService, type OperatorDelivery } from "@platform/proto/notify/v1/notify_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { copyable, facts, idLink, section, stateOf, table, timeOf } from "../pages/elements.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";

export const readDelivery = async (visit: Visit, reveal?: { readonly reason?: string }): Promise<OperatorDelivery> => {
  const { delivery } = await visit.ask(
    NotifyAdminService.method.showDelivery,
    { deliveryId: visit.param("id"), reveal: reveal !== undefined },
    reveal ?? {},
  );
  if (delivery === undefined) throw new PageProblem(404, "There is nothing here", "There is no such delivery.");
  return delivery;
};

const crumbsOf = (delivery: OperatorDelivery): [string, string][] => [
  ["Activity", `/activity?client=${delivery.projectClientId}`],
  [`Delivery ${delivery.id}`, `/deliveries/${delivery.id}`],
];

/** A delivery with the timeline of its attempts. */
export function deliveryPage(visit: Visit, delivery: OperatorDelivery) {
  const { id, projectClientId, templateKey } = delivery;
  const isFailed = delivery.status === "failed";
  return {
    title: `Delivery ${id}`,
    crumbs: crumbsOf(delivery).slice(0, 1),
    clientId: projectClientId,
    body: html`${actionLinks(visit, isFailed ? [retryOne, revealOne] : [revealOne], id)}
<section aria-label="Delivery">${facts([
      ["Id", copyable(id)],
      ["Status", stateOf(delivery.status)],
      ["Channel", delivery.channel],
      ["Project Client", idLink("/clients", projectClientId)],
      ["Address", delivery.address === undefined ? delivery.addressHint : copyable(delivery.address)],
      ["Endpoint", idLink("/endpoints", delivery.endpointId, undefined, projectClientId)],
      ["Sender profile", idLink("/profiles", delivery.senderProfileId)],
      [
        "Template",
        templateKey !== undefined &&
          html`<a href="/templates?client=${projectClientId}&amp;key=${encodeURIComponent(templateKey)}">${templateKey}</a>`,
      ],
      ["Notification Intent", copyable(delivery.intentId)],
      ["Accepted", timeOf(delivery.createdAt)],
      ["Due", timeOf(delivery.dueAt)],
      ["Finished", timeOf(delivery.finishedAt)],
      ["Last error", delivery.lastErrorCode],
      ["Provider's answer", delivery.providerStatus],
    ])}</section>
${section(
  "Attempts",
  table(
    "Attempts, oldest first",
    ["Attempt", "At", "Took", "Provider's answer", "Error"],
    delivery.attemptLog.map((attempt) => [
      attempt.attempt,
      timeOf(attempt.at),
      `${attempt.durationMs} ms`,
      attempt.providerStatus,
      attempt.errorCode,
    ]),
    "It has not been tried yet.",
  ),
)}`,
  };
}

export const retryOne: Action = {
  path: "/deliveries/:id/retry",
  title: "Send again",
  button: "Send it again",
  method: NotifyAdminService.method.retryDelivery,
  describe: async (visit) => {
    const delivery = await readDelivery(visit);
    return {
      crumbs: crumbsOf(delivery),
      what: html`<p>The ${delivery.channel} delivery to ${delivery.addressHint} goes back into the queue, with a fresh count of attempts and another 24 hours.
Its last error was <code>${delivery.lastErrorCode ?? "none"}</code>.</p>`,
    };
  },
  run: async (visit, options) => {
    await visit.ask(NotifyAdminService.method.retryDelivery, { deliveryId: visit.param("id") }, options);
    return { redirect: `/deliveries/${visit.param("id")}`, notice: "The delivery is in the queue again." };
  },
};

export const revealOne: Action = {
  path: "/deliveries/:id/reveal",
  title: "Reveal the address",
  button: "Reveal the address",
  method: NotifyAdminService.method.showDelivery,
  isReveal: true,
  describe: async (visit) => {
    const delivery = await readDelivery(visit);
    return {
      crumbs: crumbsOf(delivery),
      what: html`<p>The address behind ${delivery.addressHint} is shown once. That you have seen it is recorded.</p>`,
    };
  },
  run: async (visit, options) => deliveryPage(visit, await readDelivery(visit, options)),
};
