import { html } from "@platform/kit/web/http";
import { expect, it } from "vitest";
import { sparkline } from "./sparkline.ts";

const rectsOf = (bars: Parameters<typeof sparkline>[0]): string[] =>
  [
    ...html`${sparkline(bars)}`.text.matchAll(/x="(\d+)" y="(\d+)" [^>]* height="(\d+)" fill="var\(--tblr-(\w+)\)"/g),
  ].map(([, x, y, height, colour]) => `${colour} at ${x} from ${y}, ${height} high`);

it("draws each bar relative to the highest one, with its failed part in red", () => {
  const bars = [
    { total: 10, failed: 0 },
    { total: 0, failed: 0 },
    { total: 5, failed: 5 },
  ];
  expect(rectsOf(bars)).toEqual([
    "blue at 0 from 0, 20 high",
    "blue at 8 from 10, 10 high",
    "red at 8 from 10, 10 high",
  ]);
});

it("keeps a single failure among a million requests visible", () => {
  expect(rectsOf([{ total: 1_000_000, failed: 1 }])).toContain("red at 0 from 19, 1 high");
});

it("draws only the baseline if there are no values", () => {
  const none = Array.from({ length: 24 }, () => ({ total: 0, failed: 0 }));
  const baseline = '<rect x="0" y="19" width="96" height="1" fill="var(--plot-grid)"></rect>';
  expect(html`${sparkline(none)}`.text).toContain(baseline);
  expect(rectsOf(none)).toEqual([]);
});

it("draws failures that are not included in the total", () => {
  expect(rectsOf([{ total: 0, failed: 3 }])).toEqual(["red at 0 from 0, 20 high"]);
});
