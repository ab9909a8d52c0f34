import { parse, type Spec, View } from "vega";
import { coloursOf } from "./series-colours.ts";

/** A measured value. For lines and for bars over time, `x` is a time; otherwise it is a name. */
export type Point = { readonly x: Date | string; readonly y: number };
export type Series = { readonly name: string; readonly points: readonly Point[] };

/** The contents of a plot. Colours come from the page, so that they fit light and dark themes. */
export type Plot = {
  readonly title: string;
  /** Label of the vertical axis: the quantity and its unit. */
  readonly unit: string;
  readonly xTitle: string;
  /** Kind of the plot. Bars of several series are stacked. */
  readonly kind: "bar" | "line";
  /** True if the plot fills its own card, which is twice as wide. */
  readonly isWide?: boolean;
  readonly series: readonly Series[];
};

/**
 * Width in pixels of the drawing area of a plot next to another one, of a plot that fills a row, and of either on a
 * phone. Pages scale a drawing to its card. On a phone, the text in a desktop's drawing would be too small to read.
 */
const [narrow, wide, phone] = [520, 1_100, 290];
const height = 180;
/**
 * Returns the number of columns of the legend with which no name is cut off. The library assumes about 9 pixels per
 * character.
 */
function legendColumns(width: number, names: readonly string[]): number {
  const longest = Math.max(...names.map(({ length }) => length));
  return Math.max(1, Math.min(4, Math.floor(width / (24 + 9 * longest))));
}

/** Number of intervals on the axis. The scale rounds it so that ticks are 1, 2 or 5 times a power of ten apart. */
const ticks = 4;

/** The kind of screen for which a plot is drawn. */
export type PlotScreen = "desktop" | "phone";

/**
 * Draws a plot as SVG, without a browser. The SVG uses only presentation attributes, which the content security policy
 * does not block.
 */
export async function renderPlot(plot: Plot, screen: PlotScreen = "desktop"): Promise<string> {
  const view = new View(parse(specOf(plot, screen)), { renderer: "none" });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

const valuesOf = (series: readonly Series[]): number[] => series.flatMap(({ points }) => points.map(({ y }) => y));
const highestOf = (series: readonly Series[]): number => Math.max(0, ...valuesOf(series));
/**
 * Only prefixes for multiples are used. A prefix for fractions would turn 0.3 into "300m", and a common prefix for all
 * labels would turn 0 into "0k".
 */
const labelOf = (series: readonly Series[]): string =>
  `datum.value === 0 ? '0' : format(datum.value, '${highestOf(series) >= 1_000 ? "~s" : "~r"}')`;
/** Returns whether all values are whole numbers. The axis then has no ticks between two whole numbers. */
const isWhole = (series: readonly Series[]): boolean => valuesOf(series).every(Number.isInteger);

function specOf({ unit, xTitle, kind, series, isWide }: Plot, screen: PlotScreen): Spec {
  const isPhone = screen === "phone";
  const width = isPhone ? phone : isWide === true ? wide : narrow;
  const values = series.flatMap(({ name, points }) =>
    points.map(({ x, y }) => ({ x: x instanceof Date ? x.getTime() : x, y, series: name })),
  );
  const isTime = series.some(({ points }) => points[0]?.x instanceof Date);
  const isLine = kind === "line" && isTime;
  const axis = {
    labelColor: "var(--plot-ink)",
    titleColor: "var(--plot-ink)",
    domainColor: "var(--plot-ink)",
    tickColor: "var(--plot-ink)",
    gridColor: "var(--plot-grid)",
    labelFontSize: 11,
    titleFontSize: 11,
    titleFontWeight: "normal" as const,
  };
  return {
    width,
    height,
    padding: 5,
    autosize: "pad",
    data: [
      {
        name: "table",
        values,
        transform: isLine ? [] : [{ type: "stack", groupby: ["x"], sort: { field: "series" }, field: "y" }],
      },
    ],
    scales: [
      isLine
        ? { name: "x", type: "utc", range: "width", domain: { data: "table", field: "x" } }
        : {
            name: "x",
            type: "band",
            range: "width",
            padding: 0.15,
            domain: { data: "table", field: "x", ...(isTime ? { sort: true } : {}) },
          },
      {
        name: "y",
        type: "linear",
        range: "height",
        nice: ticks,
        zero: true,
        domain: { data: "table", field: isLine ? "y" : "y1" },
      },
      {
        name: "colour",
        type: "ordinal",
        range: coloursOf(series.map(({ name }) => name)),
        domain: series.map(({ name }) => name),
      },
    ],
    axes: [
      {
        ...axis,
        orient: "bottom",
        scale: "x",
        title: xTitle,
        labelOverlap: "parity",
        ...(isTime && !isLine
          ? { encode: { labels: { update: { text: { signal: "utcFormat(datum.value, '%d %b')" } } } } }
          : {}),
        ...(isLine ? { tickCount: isPhone ? 3 : 6 } : {}),
      },
      {
        ...axis,
        orient: "left",
        scale: "y",
        title: unit,
        grid: true,
        tickCount: ticks,
        encode: { labels: { update: { text: { signal: labelOf(series) } } } },
        ...(isWhole(series) ? { tickMinStep: 1 } : {}),
      },
    ],
    legends:
      series.length < 2
        ? []
        : [
            {
              fill: "colour",
              orient: "top",
              direction: "horizontal",
              columns: legendColumns(
                width,
                series.map(({ name }) => name),
              ),
              labelLimit: 0,
              labelColor: "var(--plot-ink)",
              labelFontSize: 11,
              symbolType: "square",
              symbolStrokeWidth: 0,
            },
          ],
    marks: isLine
      ? [
          {
            type: "group",
            from: { facet: { name: "lines", data: "table", groupby: "series" } },
            marks: [
              {
                type: "line",
                from: { data: "lines" },
                encode: {
                  update: {
                    x: { scale: "x", field: "x" },
                    y: { scale: "y", field: "y" },
                    stroke: { scale: "colour", field: "series" },
                    strokeWidth: { value: 2 },
                  },
                },
              },
              {
                // A line with only one point would be invisible, so a symbol is drawn.
                type: "symbol",
                from: { data: "lines" },
                encode: {
                  update: {
                    x: { scale: "x", field: "x" },
                    y: { scale: "y", field: "y" },
                    fill: { scale: "colour", field: "series" },
                    size: { signal: "length(data('lines')) === 1 ? 40 : 0" },
                  },
                },
              },
            ],
          },
        ]
      : [
          {
            type: "rect",
            from: { data: "table" },
            encode: {
              update: {
                x: { scale: "x", field: "x" },
                width: { scale: "x", band: 1 },
                y: { scale: "y", field: "y0" },
                y2: { scale: "y", field: "y1" },
                fill: { scale: "colour", field: "series" },
              },
            },
          },
        ],
  };
}
