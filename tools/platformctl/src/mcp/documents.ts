import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A page of the documentation. */
type Page = { readonly uri: string; readonly name: string; readonly title: string; readonly mimeType: "text/markdown" };

/**
 * Folders and pages of the documentation that are only for developers of the platform. The published package also leaves them out (build.ts).
 */
const internal: ReadonlySet<string> = new Set(["decisions", "benchmarks", "torture", "console", "flaky-tests.md"]);

/** Returns whether a folder or page of the documentation is useful for users of the platform, by its name. */
export const isForUsers = (name: string): boolean => !internal.has(name) && !name.startsWith(".");

const errorsUri = "docs://errors";
const scheme = "docs://";

/** Returns the folders of the pages: in the published package next to the program, otherwise in the checkout. */
function folders(): { readonly docs: string; readonly errors: string } {
  const packaged = join(import.meta.dirname, "docs");
  if (existsSync(packaged)) return { docs: packaged, errors: join(packaged, "errors.md") };
  const root = join(import.meta.dirname, "../../../..");
  return { docs: join(root, "docs"), errors: join(root, "apps/gateway/errors.md") };
}

/** Returns the documentation's pages and the error reference, by their address. */
function documents(): ReadonlyMap<string, string> {
  const { docs, errors } = folders();
  const pages = new Map([[errorsUri, errors]]);
  const add = (folder: string, prefix: string): void => {
    const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (!isForUsers(entry.name)) continue;
      if (entry.isDirectory()) add(path, `${prefix}${entry.name}/`);
      else if (entry.isFile() && entry.name.endsWith(".md"))
        pages.set(`${scheme}${prefix}${entry.name.slice(0, -3)}`, path);
    }
  };
  add(docs, "");
  return new Map([...pages].filter(([, path]) => existsSync(path)));
}

/** Lists every page, with its first heading as title. */
export function listDocuments(): Page[] {
  return [...documents()].map(([uri, path]) => {
    const name = uri.slice(scheme.length);
    const [, title = name] = /^# (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
    return { uri, name, title, mimeType: "text/markdown" };
  });
}

/** Reads a page as Markdown. Returns null if there is none with this address. */
export function readDocument(uri: string): string | null {
  const path = documents().get(uri);
  return path === undefined ? null : readFileSync(path, "utf8");
}
