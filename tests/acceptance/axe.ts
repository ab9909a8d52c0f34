import { fileURLToPath } from "node:url";
import type { AxeResults, ElementContext, RunOptions } from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

/** A rule of axe that a page breaks, and the HTML of the elements that break it. */
export type AxeFinding = { readonly id: string; readonly elements: readonly string[] };

/** WCAG 2.2 at level AA, and the best practices of axe. */
const wcag = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** axe in the size that browsers are given. */
const axePath = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

/** Has every page that the context opens from now on load axe, so that `axeFindings` can judge it. */
export const loadAxe = (context: BrowserContext): Promise<unknown> => context.addInitScript({ path: axePath });

/**
 * Judges a page of a context that `loadAxe` was called for, and asks axe for violations alone; `@axe-core/playwright` loads it for each judgement and carries
 * every passed element out of the page, which takes twice the time. No page of the platform has a frame, and one that had would be left unjudged, so it
 * is an error.
 * @param rules ids of the only rules to judge by; without them those of WCAG and of good practice
 * @param without a selector of elements that are not judged
 */
export async function axeFindings(page: Page, rules?: readonly string[], without?: string): Promise<AxeFinding[]> {
  if (page.frames().length > 1) throw new Error(`${page.url()} has frames, which axe would not see`);
  if (!(await page.evaluate("'axe' in window")))
    throw new Error(`${page.url()} was opened before loadAxe() was called`);
  const context: ElementContext = { include: [["html"]], exclude: without === undefined ? [] : [[without]] };
  const options: RunOptions = {
    resultTypes: ["violations"],
    runOnly: rules === undefined ? { type: "tag", values: wcag } : { type: "rule", values: [...rules] },
  };
  return page.evaluate(
    async ([where, how]) => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
      const { violations } = (await axe.run(where, how)) as unknown as AxeResults;
      return violations.map(({ id, nodes }) => ({ id, elements: nodes.map(({ html }) => html) }));
    },
    [context, options] as const,
  );
}
