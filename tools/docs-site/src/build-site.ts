import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { apiPages } from "./api-pages.ts";
import { cliPages } from "./cli-pages.ts";
import { groupCodeTabs } from "./code-tabs.ts";
import { drawDiagrams } from "./drawings.ts";
import { llmsText } from "./llms-text.ts";
import { rewriteLinks } from "./page-links.ts";
import { questions } from "./questions.ts";
import { pagesFolder, sidebarFile, siteFolder } from "./site-folders.ts";
import { deadLinks } from "./site-links.ts";
import { readSections, repositoryRoot, type SiteSection, sidebarTitle } from "./site-pages.ts";
import { loadSiteSearch, unansweredQuestions } from "./site-search.ts";

/** Pages of /docs that the gateway serves itself. */
const servedByGateway = ["/docs/reference/"];

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Returns all sections, with the pages that are generated from the OpenAPI document and from the CLI. */
async function allSections(): Promise<SiteSection[]> {
  const sections = readSections();
  const reference = sections.findIndex(({ title }) => title === "Reference");
  return sections.toSpliced(
    reference,
    0,
    { title: "API reference", pages: apiPages(repositoryRoot) },
    { title: "CLI reference", pages: await cliPages() },
  );
}

/** Rewrites the links of every page to the site's paths. Throws an error that lists the dead ones. */
function withSiteLinks(sections: readonly SiteSection[]): SiteSection[] {
  const pathOf = new Map(sections.flatMap(({ pages }) => pages.map(({ source, path }) => [source, path] as const)));
  const dead: string[] = [];
  const linked = sections.map((section) => ({
    ...section,
    pages: section.pages.map((page) => {
      if (page.source === null) return page;
      const { source, path } = page;
      const targets = {
        pageOf: (file: string) => pathOf.get(file),
        exists: (file: string) => existsSync(join(repositoryRoot, file)),
      };
      const rewritten = rewriteLinks(page.text, { source, path }, targets);
      dead.push(...rewritten.dead.map((target) => `${source}: ${target}`));
      return { ...page, text: rewritten.text };
    }),
  }));
  if (dead.length > 0) throw new Error(`links to files that are not there:\n${dead.join("\n")}`);
  return linked;
}

function writePages(sections: readonly SiteSection[]): void {
  rmSync(dirname(pagesFolder), { recursive: true, force: true });
  for (const { path, text } of sections.flatMap(({ pages }) => pages))
    write(join(pagesFolder, path), drawDiagrams(groupCodeTabs(text)));
  for (const picture of globSync("docs/**/*.{webp,png,svg}", { cwd: repositoryRoot })) {
    const name = picture.slice("docs/".length);
    // An image that a page shows is copied next to the page, and one that is linked becomes a file of the site.
    for (const target of [join(pagesFolder, name), join(pagesFolder, "public", name)]) {
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(repositoryRoot, picture), target);
    }
  }
  copyFileSync(join(import.meta.dirname, "../pages/index.md"), join(pagesFolder, "index.md"));
  const sidebar = sections.map(({ title, pages }, at) => ({
    text: title,
    collapsed: at > 2,
    items: pages.map((page) => ({ text: sidebarTitle(page), link: `/${page.path.replace(/(index)?\.md$/, "")}` })),
  }));
  write(sidebarFile, JSON.stringify(sidebar));
}

/** Builds the site into the gateway's folder. Fails when a link leads nowhere, or when the search does not find the page that answers a question. */
async function buildSite(): Promise<void> {
  const sections = withSiteLinks(await allSections());
  writePages(sections);
  rmSync(siteFolder, { recursive: true, force: true });
  await build(join(import.meta.dirname, ".."));
  // Each page's Markdown is written next to its HTML.
  for (const { path, text } of sections.flatMap(({ pages }) => pages)) write(join(siteFolder, path), text);
  const index = readFileSync(join(import.meta.dirname, "../pages/index.md"), "utf8");
  write(join(siteFolder, "index.md"), index.replace(/^---\n[\s\S]*?\n---\n+/, ""));
  write(join(siteFolder, "llms.txt"), llmsText(sections));
  const { checked, dead } = deadLinks(siteFolder, servedByGateway);
  for (const link of dead) console.log(link);
  console.log(`${checked} links checked, ${dead.length} dead`);
  const unanswered = unansweredQuestions(questions, await loadSiteSearch(siteFolder));
  for (const problem of unanswered) console.log(problem);
  console.log(`${questions.length} questions asked, ${unanswered.length} without their page among the first results`);
  if (dead.length + unanswered.length > 0) process.exitCode = 1;
}

await buildSite();
