import { type RowResult, spread } from "../row.ts";

const barHeight = 22;
const gap = 10;
const labelWidth = 300;
const barWidthMax = 360;
const colors = { ours: "#2563eb", peer: "#9ca3af", baseline: "#d1d5db" };

const escapeXml = (text: string): string => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A bar chart of a row's rates: median as the bar, range as a line. */
export function barChart(result: RowResult): string {
  const rates = result.measured.map((one) => ({ one, rate: spread(one, "perSecond") }));
  const greatest = Math.max(...rates.map(({ rate }) => rate.max), 1e-9);
  const scale = (value: number): number => (value / greatest) * barWidthMax;
  const height = rates.length * (barHeight + gap) + 50;
  const bars = rates.flatMap(({ one, rate }, index) => {
    const y = 40 + index * (barHeight + gap);
    const middle = y + barHeight / 2;
    const text = `${rate.median >= 100 ? Math.round(rate.median).toLocaleString("en-US") : rate.median.toFixed(1)} ${one.unit}`;
    return [
      `<text x="${labelWidth - 8}" y="${middle + 4}" text-anchor="end">${escapeXml(one.name)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${scale(rate.median).toFixed(1)}" height="${barHeight}" fill="${colors[one.role]}"/>`,
      `<line x1="${(labelWidth + scale(rate.min)).toFixed(1)}" x2="${(labelWidth + scale(rate.max)).toFixed(1)}" y1="${middle}" y2="${middle}" stroke="#111827"/>`,
      `<text x="${(labelWidth + scale(rate.max) + 8).toFixed(1)}" y="${middle + 4}">${escapeXml(text)}</text>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${labelWidth + barWidthMax + 180}" height="${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="12" y="22" font-size="15" font-weight="bold">${escapeXml(`${result.id} ${result.title}`)}</text>`,
    ...bars,
    "</svg>",
    "",
  ].join("\n");
}
