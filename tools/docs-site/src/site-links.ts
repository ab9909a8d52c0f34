import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * Finds links of built pages whose page or heading does not exist.
 * @param folder the built site
 * @param others further pages that the gateway serves below /docs
 */
export function deadLinks(
  folder: string,
  others: readonly string[],
): { readonly checked: number; readonly dead: readonly string[] } {
  const files = new Set(globSync("**/*", { cwd: folder }));
  const pages = new Map(
    [...files].filter((name) => name.endsWith(".html")).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
  const anchors = new Map(
    [...pages].map(([name, html]) => [name, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const dead: string[] = [];
  let checked = 0;
  for (const [name, html] of pages) {
    for (const [, link = ""] of html.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      if (/^(https?:|data:|mailto:)/.test(link) || link === "") continue;
      checked++;
      const url = new URL(link.replaceAll("&amp;", "&"), `http://site/docs/${name}`);
      if (others.some((other) => url.pathname.startsWith(other))) continue;
      const file = fileOf(url.pathname, files);
      const anchor = decodeURIComponent(url.hash.slice(1));
      if (file === null || (anchor !== "" && anchors.get(file)?.has(anchor) !== true)) dead.push(`${name}: ${link}`);
    }
  }
  return { checked, dead };
}

/** Returns the file that the gateway serves for a path. */
function fileOf(pathname: string, files: ReadonlySet<string>): string | null {
  if (!pathname.startsWith("/docs/")) return null;
  const path = posix.normalize(decodeURIComponent(pathname.slice("/docs/".length)));
  const names = pathname.endsWith("/") ? [posix.join(path, "index.html")] : [path, `${path}.html`];
  return names.find((name) => files.has(name) && /\.[a-z0-9]+$/i.test(name)) ?? null;
}
