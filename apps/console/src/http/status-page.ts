import { html } from "@platform/kit/web/http";
import type { RequestHandler } from "express";
import type { ComponentHistory, HealthDay, HealthHistory } from "../calls/health-history.ts";
import { stateOf } from "./pages/elements.ts";
import { publicPage } from "./pages/layout.ts";
import { createRenderCache } from "./render-cache.ts";

/** How long a rendered page is reused, in milliseconds. Everyone sees the same page. */
const keptMs = 1_000;

/** Serves the public page with all components and their last 90 days. */
export function statusRoute(health: HealthHistory): RequestHandler {
  const cached = createRenderCache<string>(keptMs);
  return async (_request, response) => {
    response.send(await cached("status", () => renderStatus(health)));
  };
}

/** Renders the page, which is the same for everyone. */
export async function renderStatus(health: Pick<HealthHistory, "read">): Promise<string> {
  const components = await health.read();
  const [tone, sentence] = summaryOf(components);
  return publicPage(
    "Status",
    html`<p class="alert ${tone}" role="status">${sentence}</p>
${components.map(componentHtml)}
<p class="text-secondary">Each bar is one of the last 90 days (UTC), oldest on the left. A day is red if the component was down for at least one minute, yellow if it was
degraded, and grey if nothing was measured.</p>`,
  );
}

function summaryOf(components: readonly ComponentHistory[]): [tone: string, sentence: string] {
  if (components.length === 0) return ["alert-info", "Nothing has been measured yet."];
  if (components.every(({ state }) => state === "ok")) return ["alert-success", "All components are well."];
  return ["alert-danger", "Some components are not well."];
}

function componentHtml({ name, state, days }: ComponentHistory) {
  const measured = days.filter(({ minutes }) => totalOf(minutes) > 0);
  const well = measured.reduce((sum, { minutes }) => sum + minutes.ok, 0);
  const total = measured.reduce((sum, { minutes }) => sum + totalOf(minutes), 0);
  const share = total === 0 ? "–" : `${((100 * well) / total).toFixed(2)} %`;
  return html`<section><h2>${name} ${stateOf(state)}</h2>
<div class="days d-flex py-2" role="img" aria-label="${name}: operational in ${share} of the measured minutes of 90 days">${days.map(
    ({ minutes }) => html`<span class="flex-fill py-3 ${toneOf(minutes)}"></span>`,
  )}</div>
<details><summary>${share} of the measured minutes</summary><div class="table-responsive" role="region" aria-label="Days of ${name}" tabindex="0">
<table class="table"><thead><tr><th scope="col">Day</th><th scope="col">Minutes ok</th><th scope="col">Minutes degraded</th><th scope="col">Minutes down</th></tr></thead>
<tbody>${measured.map(
    ({ day, minutes }) =>
      html`<tr><td>${day}</td><td>${minutes.ok}</td><td>${minutes.degraded}</td><td>${minutes.down}</td></tr>`,
  )}</tbody></table></div></details></section>`;
}

const totalOf = ({ ok, degraded, down }: HealthDay): number => ok + degraded + down;

function toneOf(minutes: HealthDay): string {
  if (totalOf(minutes) === 0) return "none";
  if (minutes.down > 0) return "bad";
  return minutes.degraded > 0 ? "wait" : "good";
}
