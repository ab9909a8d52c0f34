import { type HtmlValue, html } from "@platform/kit/web/http";
import type { EndpointEvent } from "@platform/proto/notify/v1/endpoint_admin";
import { idLink, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { figure } from "../pages/figure.ts";
import { usageByDay } from "../pages/usage.ts";
import type { Visit } from "../visit.ts";

const plotDays = 30;
/** Kinds of usage that notify-svc counts, and their names in the plot. */
const plotted: Readonly<Record<string, string>> = { endpoints_verified: "verified", endpoints_revoked: "revoked" };

const changers: Readonly<Record<string, string>> = {
  project: "project",
  owner: "owner, by a link in an email",
  operator: "operator",
  provider: "provider",
  platform: "platform",
};

/**
 * Renders the history of an endpoint, newest first: when and by whom it was changed and why, and where to read more.
 */
export function historyPart(history: readonly EndpointEvent[]): HtmlValue {
  return section(
    "History",
    table(
      "Changes of status and consents, newest first",
      ["When", "What", "Purpose", "By", "Reason", "Delivery", "Request"],
      history
        .toReversed()
        .map((event) => [
          timeOf(event.at),
          stateOf(event.what),
          event.purpose,
          changers[event.by] ?? event.by,
          event.detail?.replaceAll("_", " "),
          idLink("/deliveries", event.deliveryId),
          requestLink(event.correlationId),
        ]),
      "No changes are recorded. Verifications, revocations and consents are listed here.",
    ),
  );
}

/**
 * Renders a link to the search, which finds everything else that belongs to the request, including an operator's
 * action.
 */
function requestLink(correlationId: string | undefined): HtmlValue {
  if (correlationId === undefined) return null;
  return html`<a class="id" href="/search?q=${encodeURIComponent(correlationId)}" title="${correlationId}">…${correlationId.slice(-8)}</a>`;
}

/** Renders how many endpoints of a Project Client were verified and revoked, by day. */
export async function changesFigure(visit: Visit, clientId: string): Promise<HtmlValue> {
  const usage = await usageByDay(visit, clientId, plotDays, (kind) => kind in plotted, ["notify"]);
  return figure({
    title: "Verified and revoked by day",
    unit: "endpoints",
    xTitle: "day (UTC)",
    kind: "bar",
    series: usage.map(({ name, points }) => ({ name: plotted[name] ?? name, points })),
  });
}
