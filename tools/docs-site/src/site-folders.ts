import { join } from "node:path";
import { repositoryRoot } from "./site-pages.ts";

const workFolder = join(repositoryRoot, ".local/docs-site");

/** The Markdown that VitePress reads: copies of the repository's pages, with links that fit the site, and generated pages. */
export const pagesFolder = join(workFolder, "pages");

/** File with the sidebar as JSON. */
export const sidebarFile = join(workFolder, "sidebar.json");

/** The built site, which the gateway serves at /docs. */
export const siteFolder = join(repositoryRoot, "apps/gateway/site");
