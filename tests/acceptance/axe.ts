import { fileURLToPath } from "node:url";
import type { AxeResults, ElementContext, RunOptions } from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

/** A violated rule of axe, and the HTML of the elements that violate it. */
export type AxeFinding = { readonly id: string; readonly elements: readonly string[] };

/** WCAG 2.2 at level AA, and the best practices of axe. */
const wcag = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The minified script of axe. */
const axePath = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

/** Loads axe into every page that the context opens from now on, so that `axeFindings` can check it. */
export const loadAxe = (context: BrowserContext): Promise<unknown> => context.addInitScript({ path: axePath });

/**
 * Checks a page with axe, which the page has loaded because `loadAxe` was called for its context. Only violations are returned.
 * `@axe-core/playwright` loads axe for each check and also returns every element that passed, which takes twice as long.
 * No page of the platform has a frame, and axe would not check one here, so a frame is an error.
 * @param rules ids of the only rules to check; by default the rules of WCAG and the best practices
 * @param without selector of elements that are not checked
 */
export async function axeFindings(page: Page, rules?: readonly string[], without?: string): Promise<AxeFinding[]> {
  // A click returns when the next page begins, which may be before its style sheets are loaded.
  await page.waitForLoadState("load");
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
