import { type HtmlValue, html } from "@platform/kit/web/http";

/** One bar: a total, and the part of it that failed. */
type Bar = { readonly total: number; readonly failed: number };

/** Width of a bar including its gap, width of the gap, and height of the highest bar, in pixels. */
const [step, gap, height] = [4, 1, 20];

/**
 * Renders a row of small bars on a baseline, without axes. The height of a bar is relative to the highest one, and its
 * failed part has the failure colour. The drawing is hidden from screen readers, because the text next to it contains
 * the numbers.
 * @param bars oldest first
 */
export function sparkline(bars: readonly Bar[]): HtmlValue {
  const highest = Math.max(1, ...bars.map(({ total, failed }) => Math.max(total, failed)));
  // A value other than zero must remain visible next to the highest bar.
  const heightOf = (value: number): number => (value === 0 ? 0 : Math.max(1, Math.round((value / highest) * height)));
  const rect = (index: number, value: number, colour: string): HtmlValue =>
    value > 0 &&
    html`<rect x="${index * step}" y="${height - heightOf(value)}" width="${step - gap}" height="${heightOf(value)}" fill="${colour}"></rect>`;
  const width = bars.length * step;
  return html`<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true"><rect x="0" y="${height - 1}" width="${width}" height="1" fill="var(--plot-grid)"></rect>${bars.map(
    ({ total, failed }, index) => [rect(index, total, "var(--tblr-blue)"), rect(index, failed, "var(--tblr-red)")],
  )}</svg>`;
}
