import { screens, type Visitor } from "./console-person.ts";

/** A page that was found, and the links in its main part. */
export type FoundPage = { readonly path: string; readonly html: string; readonly links: readonly string[] };

/** A form that changes something. */
export type FoundForm = {
  readonly path: string;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
};

const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}/g;

/** The path with ids replaced: pages with the same path differ only in their data. */
export const shapeOf = (path: string): string => new URL(path, "http://console").pathname.replaceAll(idPattern, ":id");

const textOf = (html: string): string =>
  html
    .replaceAll("&amp;", "&")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");

const mainOf = (html: string): string => /<main.*<\/main>/s.exec(html)?.[0] ?? "";

/** The links in a page's main part to other pages of the console, without downloads. */
export function linksOf(html: string): string[] {
  const links = [...mainOf(html).matchAll(/<a\s[^>]*href="(\/[^"]*)"/g)].map(([, href = ""]) => textOf(href));
  return [...new Set(links)].filter((link) => !link.includes("format="));
}

/** Every form that is posted. */
export function formsOf({ path, html }: Pick<FoundPage, "path" | "html">): FoundForm[] {
  return [...html.matchAll(/<form\s[^>]*method="post"[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = "", body = ""]) => ({
      path,
      action: textOf(action),
      fields: Object.fromEntries(
        [...body.matchAll(/<(?:input|select|textarea)\s[^>]*name="([^"]+)"(?:[^>]*value="([^"]*)")?/g)].map(
          ([, name = "", value = ""]) => [name, textOf(value)],
        ),
      ),
    }),
  );
}

/** Follows links from the navigation and the given pages to one page of every shape. */
export async function crawl(visitor: Visitor, from: readonly string[]): Promise<FoundPage[]> {
  const pages: FoundPage[] = [];
  const seen = new Set<string>();
  const queue = [...from, ...screens.map(([path]) => path)];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(shapeOf(path))) continue;
    seen.add(shapeOf(path));
    const { html, status } = await visitor.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    const links = linksOf(html);
    pages.push({ path, html, links });
    queue.push(...links);
  }
  return pages;
}
