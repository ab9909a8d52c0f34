import { type Tone, toneOf } from "./tone.ts";

/** The shades of each tone, from the palette of the page's stylesheet, which fits light and dark themes. */
const shades: Readonly<Record<Tone, readonly string[]>> = {
  good: ["var(--tblr-green)", "var(--tblr-teal)", "var(--tblr-lime)"],
  bad: ["var(--tblr-red)", "var(--tblr-pink)"],
  wait: ["var(--tblr-orange)", "var(--tblr-yellow)"],
  plain: ["var(--tblr-blue)", "var(--tblr-purple)", "var(--tblr-cyan)", "var(--tblr-indigo)", "var(--tblr-secondary)"],
};

/** Returns the tone of a series by its whole name, or else by the last word that has a tone: `email failed` is bad. */
function toneOfSeries(name: string): Tone {
  const words = [name, ...name.split(/[ _]/).reverse()];
  return words.map(toneOf).find((tone) => tone !== "plain") ?? "plain";
}

/** Returns the colours of a plot's series. Several series of one tone have different shades of it. */
export function coloursOf(names: readonly string[]): string[] {
  const given = new Map<Tone, number>();
  return names.map((name) => {
    const tone = toneOfSeries(name);
    const count = given.get(tone) ?? 0;
    given.set(tone, count + 1);
    return shades[tone][count % shades[tone].length] ?? "";
  });
}
