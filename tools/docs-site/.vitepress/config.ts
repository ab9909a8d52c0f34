import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { separateScripts } from "../src/inline-scripts.ts";
import { searchOptions } from "../src/search-options.ts";
import { pagesFolder, sidebarFile, siteFolder } from "../src/site-folders.ts";

export default defineConfig({
  srcDir: pagesFolder,
  outDir: siteFolder,
  cacheDir: join(pagesFolder, "../cache"),
  base: "/docs/",
  title: "Project Integration Service",
  description: "Guides, concepts and reference for project backends.",
  lang: "en",
  cleanUrls: true,
  // The gateway's policy allows no inline script, so the list of page hashes is also written to a file.
  metaChunk: true,
  transformHtml: separateScripts,
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    theme: { light: "github-light", dark: "github-dark" },
    config: (markdown) => {
      // Vue would interpret the braces of a template and the angle brackets of a placeholder in an indented block.
      const { code_block: render } = markdown.renderer.rules;
      markdown.renderer.rules.code_block = (...args) => (render?.(...args) ?? "").replace("<pre", "<pre v-pre");
    },
  },
  // VitePress does not build the page of the API reference, because the gateway serves it.
  ignoreDeadLinks: [/^\/reference/, /^\/llms\.txt/],
  themeConfig: {
    nav: [
      { text: "First hour", link: "/guides/first-hour" },
      { text: "Guides", link: "/guides/" },
      { text: "API", link: "/api/" },
      { text: "Errors", link: "/errors" },
      { text: "CLI", link: "/cli/" },
    ],
    sidebar: JSON.parse(readFileSync(sidebarFile, "utf8")),
    outline: [2, 3],
    search: { provider: "local", options: { miniSearch: { searchOptions } } },
    docFooter: { prev: "Previous page", next: "Next page" },
  },
});
