import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import MiniSearch from "minisearch";
import type { Question } from "./questions.ts";
import { searchOptions } from "./search-options.ts";

/** Number of results that a reader looks at. */
const lookedAt = 3;

/** Finds pages of a built site for words, best first, each page once. */
export type SiteSearch = (words: string) => string[];

/** Loads the index that the site's search box uses. `folder` is the built site. */
export async function loadSiteSearch(folder: string): Promise<SiteSearch> {
  const [file, ...others] = globSync("assets/chunks/@localSearchIndexroot.*.js", { cwd: folder });
  if (file === undefined || others.length > 0) throw new Error(`${folder} needs one search index`);
  const { default: index } = (await import(pathToFileURL(join(folder, file)).href)) as { default: string };
  // The index is loaded in the same way as by VitePress's search box.
  const search = MiniSearch.loadJSON(index, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions,
  });
  return (words) => {
    const pages = search.search(words).map(({ id }) =>
      String(id)
        .replace(/^\/docs\//, "")
        .replace(/#.*$/, ""),
    );
    return [...new Set(pages)];
  };
}

/** Returns the questions whose page is not among the first results, with these results. */
export function unansweredQuestions(questions: readonly Question[], search: SiteSearch): string[] {
  return questions.flatMap(({ question, words, page }) => {
    const found = search(words).slice(0, lookedAt);
    return found.includes(page)
      ? []
      : [`${question} (${words}): expected ${page}, found ${found.join(", ") || "nothing"}`];
  });
}
