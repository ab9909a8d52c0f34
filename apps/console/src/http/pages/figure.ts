import { type HtmlValue, html, SafeHtml } from "@platform/kit/web/http";
import { inReadableUnit } from "../../plots/readable-unit.ts";
import { type Plot, type PlotScreen, type Point, renderPlot } from "../../plots/render-plot.ts";

const drawn = new Map<string, string>();
const drawnMax = 400;

/** Renders a plot, followed by its data as a table for people who cannot see the plot. */
export async function figure(given: Plot): Promise<HtmlValue> {
  const { title, xTitle, series } = given;
  const isEmpty = series.every(({ points }) => points.every(({ y }) => y === 0));
  if (isEmpty)
    return html`<figure class="plot"><figcaption>${title}</figcaption><div class="empty py-3"><p>No data for this period.</p></div></figure>`;
  const plot = inReadableUnit(given);
  return html`<figure class="plot"><figcaption>${title}</figcaption>
<div class="d-none d-md-block" aria-hidden="true">${await draw(plot, "desktop")}</div>
<div class="d-md-none" aria-hidden="true">${await draw(plot, "phone")}</div>
<details><summary>${title}: data as a table</summary>
<div class="table-responsive" role="region" aria-label="${title}, data" tabindex="0"><table class="table">
<thead><tr><th scope="col">${xTitle}</th>${series.map(({ name }) => html`<th scope="col" class="text-end">${name} (${plot.unit})</th>`)}</tr></thead>
<tbody>${rowsOf(plot).map(
    ([x, ...values]) =>
      html`<tr><th scope="row">${x}</th>${values.map((value) => html`<td class="text-end">${value}</td>`)}</tr>`,
  )}</tbody></table></div></details></figure>`;
}

async function draw(plot: Plot, screen: PlotScreen): Promise<SafeHtml> {
  const key = `${screen} ${JSON.stringify(plot)}`;
  const known = drawn.get(key);
  if (known !== undefined) return new SafeHtml(known);
  const svg = await renderPlot(plot, screen);
  if (drawn.size >= drawnMax) drawn.clear();
  drawn.set(key, svg);
  return new SafeHtml(svg);
}

function rowsOf({ series }: Plot): string[][] {
  const nameOf = ({ x }: Point): string => (x instanceof Date ? x.toISOString().slice(0, 16).replace("T", " ") : x);
  const values = series.map(({ points }) => new Map(points.map((point) => [nameOf(point), point.y])));
  const names = [...new Set(values.flatMap((byName) => [...byName.keys()]))].sort();
  return names.map((name) => [
    name,
    ...values.map((byName) => {
      const y = byName.get(name);
      return y === undefined ? "–" : y.toLocaleString("en-US", { maximumSignificantDigits: 4 });
    }),
  ]);
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Returns every UTC day from `days` ago to today. */
export const lastDays = (days: number, nowMs: number = Date.now()): Date[] => lastSlots(days, dayMs, nowMs);

/** Returns every hour from `hours` ago to the current one. */
export const lastHours = (hours: number, nowMs: number = Date.now()): Date[] => lastSlots(hours, hourMs, nowMs);

function lastSlots(count: number, slotMs: number, nowMs: number): Date[] {
  const present = Math.floor(nowMs / slotMs) * slotMs;
  return Array.from({ length: count }, (_, index) => new Date(present - (count - 1 - index) * slotMs));
}

type Counting = <T>(
  things: readonly T[],
  slots: readonly Date[],
  at: (thing: T) => Date | null,
  kind: (thing: T) => string,
  count?: (thing: T) => number,
) => { name: string; points: Point[] }[];

/** Counts items by UTC day and kind; days without items are 0. */
export const byDay = countingBy(dayMs);

/** Counts items by hour and kind. */
export const byHour = countingBy(hourMs);

function countingBy(slotMs: number): Counting {
  return (things, slots, at, kind, count = () => 1) => {
    const sums = new Map<string, Map<number, number>>();
    for (const thing of things) {
      const time = at(thing);
      if (time === null) continue;
      const slot = Math.floor(time.getTime() / slotMs) * slotMs;
      const name = kind(thing);
      const sum = sums.get(name) ?? new Map<number, number>();
      sums.set(name, sum.set(slot, (sum.get(slot) ?? 0) + count(thing)));
    }
    return [...sums].sort().map(([name, sum]) => ({
      name,
      points: slots.map((slot) => ({ x: slot, y: sum.get(slot.getTime()) ?? 0 })),
    }));
  };
}
