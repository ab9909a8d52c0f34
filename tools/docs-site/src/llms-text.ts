import type { SiteSection } from "./site-pages.ts";

/** Creates the list of all pages as Markdown, in the form that language models look for (https://llmstxt.org). */
export function llmsText(sections: readonly SiteSection[]): string {
  const lists = sections.map(
    ({ title, pages }) => `## ${title}\n\n${pages.map((page) => `- [${page.title}](/docs/${page.path})`).join("\n")}\n`,
  );
  return `# Project Integration Service

> One HTTP API that gives project backends credentials, identity migration, files, notifications, events, scheduled calls and advertising.

The OpenAPI document is at /api/v1/openapi.json. Each page below is plain Markdown.

${lists.join("\n")}`;
}
