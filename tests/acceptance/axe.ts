import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** A rule of axe that a page breaks, and the HTML of the elements that break it. */
export type AxeFinding = { readonly id: string; readonly elements: readonly string[] };

/** WCAG 2.2 at level AA, and what axe holds for good practice. */
const wcag = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * Judges a page by axe in its so-called legacy mode, which runs in the page alone. The usual mode looks for frames and collects the results in a second
 * page, which takes more than twice the time. No page of the platform has a frame, and one that had would be left unjudged, so it is an error.
 * @param rules ids of the only rules to judge by; without them those of WCAG and of good practice
 */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<AxeFinding[]> {
  if (page.frames().length > 1) throw new Error(`${page.url()} has frames, which axe would not see`);
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  const { violations } = await (rules === undefined ? axe.withTags(wcag) : axe.withRules([...rules])).analyze();
  return violations.map(({ id, nodes }) => ({ id, elements: nodes.map(({ html }) => html) }));
}
