import { expect, test } from "vitest";
import { type Plot, renderPlot } from "./render-plot.ts";

const days = Array.from({ length: 30 }, (_, index) => new Date(Date.UTC(2027, 0, 1 + index)));
const plot = (kind: Plot["kind"], name = "sent"): Plot => ({
  title: "Deliveries",
  unit: "deliveries",
  xTitle: "day (UTC)",
  kind,
  series: [name, "failed"].map((each, shift) => ({
    name: each,
    points: days.map((x, index) => ({ x, y: (index + shift) % 7 })),
  })),
});

test.each(["bar", "line"] as const)("draws a %s plot with both axes, units and a legend", async (kind) => {
  const svg = await renderPlot(plot(kind));
  for (const text of ["day (UTC)", "deliveries", "sent", "failed"]) expect(svg).toContain(`>${text}</text>`);
});

test("draws a point for a line that has only one", async () => {
  const svg = await renderPlot({ ...plot("line"), series: [{ name: "p50", points: [{ x: new Date(0), y: 3 }] }] });
  expect(svg.match(/<path [^>]*d="M[1-9][^>]*fill="var\(--tblr-blue\)"/g)).toHaveLength(1);
});

test("uses no style that the content security policy would block, and inherits the colours of the page", async () => {
  const svg = await renderPlot(plot("bar"));
  expect(svg).not.toMatch(/\sstyle=|<style|<script|\son\w+=/);
  expect(svg).toContain('fill="var(--tblr-red)"');
  expect(svg).not.toMatch(/(fill|stroke)="#/);
});

test("shows markup in the name of a series as text", async () => {
  const svg = await renderPlot(plot("bar", '<script>alert(1)</script>"'));
  expect(svg).not.toContain("<script");
  expect(svg).toContain("&lt;script&gt;");
});

test("shows the complete name of a series in the legend", async () => {
  const name = "registered by the project, now revoked";
  for (const screen of ["desktop", "phone"] as const)
    expect(await renderPlot(plot("bar", name), screen)).toContain(`>${name}</text>`);
});

const widthOf = (svg: string): number => Number(/<svg[^>]* width="([\d.]+)"/.exec(svg)?.[1]);

test("draws the plot for a phone no wider than a phone's card, because scaling a desktop's plot down would shrink its text", async () => {
  for (const isWide of [false, true]) {
    expect(widthOf(await renderPlot({ ...plot("bar"), isWide }, "phone"))).toBeLessThan(360);
    expect(widthOf(await renderPlot({ ...plot("bar"), isWide }))).toBeGreaterThan(isWide ? 1_100 : 520);
  }
});

/** Returns the labels of the vertical axis of bars. */
const ticksOf = async (values: readonly number[]): Promise<string[]> => {
  const points = values.map((y, index) => ({ x: `bar-${index}`, y }));
  const svg = await renderPlot({ ...plot("bar"), series: [{ name: "sent", points }] });
  return [...svg.matchAll(/>([\d.,]+[a-zA-Z]?)<\/text>/g)].map(([, text = ""]) => text);
};

test("marks the vertical axis at zero and at round values, without prefixes for fractions", async () => {
  expect(await ticksOf([0.3, 0.1])).toEqual(["0", "0.1", "0.2", "0.3"]);
  expect(await ticksOf([3_700, 1_200])).toEqual(["0", "1k", "2k", "3k", "4k"]);
});

test("places the ticks of counts at whole numbers only", async () => {
  expect(await ticksOf([2, 1])).toEqual(["0", "1", "2"]);
});
