import { resources } from "@platform/contracts/operator/resources";
import { type Reply, screens, type Visitor } from "./console-person.ts";

/** A page that the crawl found, with the response headers and the links in its main part. */
export type FoundPage = Pick<Reply, "html" | "headers"> & { readonly path: string; readonly links: readonly string[] };

/** A form that changes something. */
export type FoundForm = {
  readonly path: string;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
};

const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}/g;

/** Returns the path with placeholders for ids. Pages with the same shape differ only in their data. */
export const shapeOf = (path: string): string => new URL(path, "http://console").pathname.replaceAll(idPattern, ":id");

const textOf = (html: string): string =>
  html
    .replaceAll("&amp;", "&")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");

const mainOf = (html: string): string => /<main.*<\/main>/s.exec(html)?.[0] ?? "";

/** Returns the links in a page's main part to other pages of the console, without downloads. */
export function linksOf(html: string): string[] {
  const links = [...mainOf(html).matchAll(/<a\s[^>]*href="(\/[^"]*)"/g)].map(([, href = ""]) => textOf(href));
  return [...new Set(links)].filter((link) => !link.includes("format="));
}

/** Returns every form of the page with the method POST. */
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

/** Lists and searches of the operator table, including lists of a single project. */
export const tableLists = (clientId: string): string[] =>
  resources.flatMap(({ paths, operations }) =>
    operations
      .filter(({ does }) => does === "list" || does === "find")
      .map(({ does, fields }) => {
        const path = does === "find" ? `${paths.one}/find` : paths.list;
        return fields.some(({ offers }) => offers === "clients") ? `${path}?client=${clientId}` : path;
      }),
  );

/** The shape of every page of the operator table: lists, single resources, and the forms of operations. */
export const tableShapes: readonly string[] = resources.flatMap(({ paths, shown, operations }) =>
  operations.flatMap(({ does, verb, canReveal }) => {
    const page = `${paths.one}/:id`;
    if (does === "find") return [`${paths.one}/find`];
    if (does === "create") return [`${paths.list}/new`];
    if (does === "act") return [`${page}/${verb}`];
    if (does === "list") return [paths.list, ...(shown.page.length > 0 ? [page] : [])];
    return does === "show" ? [page, ...(canReveal ? [`${page}/reveal`] : [])] : [];
  }),
);

/**
 * Returns the forms of the operator table for the resource to which a link leads, including operations that the page does not offer because of the resource's
 * state.
 */
function tableForms(link: string): string[] {
  const { pathname, search } = new URL(link, "http://console");
  return resources.flatMap(({ paths, operations }) => {
    const [one] = new RegExp(`^${paths.one}/(?:${idPattern.source})(?=/|$)`).exec(pathname) ?? [];
    const acts = one === undefined ? [] : operations.filter(({ does }) => does === "act");
    return acts.map(({ verb }) => `${one}/${verb}${search}`);
  });
}

/** Follows links from the navigation and the given pages, and requests one page of each shape. */
export async function crawl(visitor: Visitor, from: readonly string[]): Promise<FoundPage[]> {
  const pages: FoundPage[] = [];
  const seen = new Set<string>();
  const queue = [...from, ...screens.map(([path]) => path)];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(shapeOf(path))) continue;
    seen.add(shapeOf(path));
    const { html, headers, status } = await visitor.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    const links = linksOf(html);
    pages.push({ path, html, headers, links });
    queue.push(...links, ...links.flatMap(tableForms));
  }
  return pages;
}
