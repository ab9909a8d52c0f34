import type { Page } from "playwright-core";
import { axeFindings } from "./axe.ts";

/** Rules of axe whose outcome depends on colours and on the width of the window. */
const visual = ["color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block"];
// Colours and widths depend on separate media queries, so two combinations cover all four values.
const looks = [
  ["phone, dark", { width: 360, height: 740 }, "dark", visual],
  ["desktop, light", { width: 1440, height: 900 }, "light", undefined],
] as const;

/** Expression for the browser that counts the visible cells that CSS has moved out of their columns. */
const countTornCells =
  "[...document.querySelectorAll('th, td')].filter((cell) => getComputedStyle(cell).display !== 'table-cell' && cell.checkVisibility()).length";

/** Expression for the browser that lists the facts on which the style of each element depends: its attributes, and the names and classes of its ancestors. */
const elementsOf = `[...new Set([...document.body.querySelectorAll("*")].map((element) => {
  const styled = [...element.attributes].filter(({ name }) => /^(type|role|disabled|aria-.*)$/.test(name));
  let selector = styled.map(({ name, value }) => name + "=" + value).join();
  for (let each = element; each !== null; each = each.parentElement)
    selector += " < " + each.localName + "." + each.getAttribute("class");
  return selector;
}))]`;

/** Checks a page with axe, and for content that is too wide. @returns the problems, each with the path of the page */
export type PageCheck = (page: Page, path: string, without?: string) => Promise<string[]>;

/**
 * Creates a check that remembers the elements it has seen. A page with a new element is checked by axe on a phone and a desktop, light and dark; on other
 * pages the colours and sizes are known, so they are checked once, by all rules. The argument `without` selects elements that were already checked.
 */
export function createPageCheck(): PageCheck {
  const known = new Set<string>();
  const hasNewElement = async (page: Page): Promise<boolean> => {
    const found: string[] = await page.evaluate(elementsOf);
    const isNew = found.some((element) => !known.has(element));
    for (const element of found) known.add(element);
    return isNew;
  };
  return async (page, path, without) => {
    const isWhole = await hasNewElement(page);
    const problems: string[] = [];
    for (const [look, viewport, colorScheme, rules] of looks) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      const findings = isWhole || rules === undefined ? await axeFindings(page, rules, without) : [];
      for (const { id, elements } of findings)
        problems.push(`${path} (${look}): ${id} ${elements.slice(0, 3).join(" ")}`);
      const overflow = Number(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"));
      if (overflow > 0) problems.push(`${path} (${look}): ${overflow} px too wide`);
      // On a phone each row is shown as a card.
      const isPhone = viewport.width < 768;
      const torn = isPhone ? 0 : Number(await page.evaluate(countTornCells));
      if (torn > 0) problems.push(`${path} (${look}): ${torn} cells of tables outside of their columns`);
    }
    return problems;
  };
}
