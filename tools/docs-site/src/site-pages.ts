import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

export const repositoryRoot = join(import.meta.dirname, "../../..");

/** A page of the site and the source of its Markdown. */
export type SitePage = {
  /** Path below the site's root, such as `guides/first-hour.md`. */
  readonly path: string;
  /** Path of the Markdown file in the repository. Null for a page that the build generates. */
  readonly source: string | null;
  readonly title: string;
  readonly text: string;
};

export type SiteSection = { readonly title: string; readonly pages: readonly SitePage[] };

/** Sections in the order of the sidebar. A pattern matches every file that no earlier pattern has matched. */
const sections: readonly { readonly title: string; readonly sources: readonly string[] }[] = [
  { title: "Start here", sources: ["README.md", "docs/guides/first-hour.md", "docs/glossary.md"] },
  {
    title: "Guides",
    // The guides have the order of the table in their README. A new guide comes last.
    sources: [
      "docs/guides/README.md",
      ...[
        "invite-your-team",
        "rotate-a-credential",
        "move-your-users",
        "accept-an-upload",
        "publish-an-image",
        "send-a-mail-and-a-push",
        "react-to-events",
        "call-me-on-a-schedule",
        "show-an-ad",
        "find-out-why-a-request-failed",
        "test-in-your-ci",
        "ask-an-assistant",
        "from-python-go-java",
      ].map((name) => `docs/guides/${name}.md`),
      "docs/guides/*.md",
    ],
  },
  {
    title: "Concepts",
    sources: [
      "docs/concepts/README.md",
      ...["a-request", "access", "an-event"].map((name) => `docs/concepts/${name}.md`),
      "docs/concepts/*.md",
    ],
  },
  {
    title: "Services",
    sources: ["identity", "files", "notifications", "events", "schedules", "ads", "sandbox"].map(
      (name) => `docs/${name}.md`,
    ),
  },
  {
    title: "Reference",
    sources: [
      "apps/gateway/errors.md",
      "libs/client/README.md",
      "tools/platformctl/README.md",
      "proto/operator-rpcs.md",
    ],
  },
  {
    title: "Operating the platform",
    sources: ["docs/operations.md", "docs/scale.md", "docs/console/README.md", "docs/releases.md", "SECURITY.md"],
  },
  {
    title: "Working on the platform",
    sources: [
      "ARCHITECTURE.md",
      "CONTRIBUTING.md",
      "docs/life-of-a-request.md",
      "docs/*.md",
      "docs/{benchmarks,torture}/*.md",
      "apps/identity-svc/README.md",
      "libs/kit/src/rpc/README.md",
      "apps/gateway/src/admission-control/README.md",
    ],
  },
  { title: "Decisions", sources: ["docs/decisions/*.md"] },
  { title: "Changelogs", sources: ["CHANGELOG.md", "{apps,libs,tools}/*/CHANGELOG.md"] },
];

/** Paths of files that are not below `docs/`. Others follow from {@link sitePath}. */
const movedPaths: Readonly<Record<string, string>> = {
  "README.md": "quick-start.md",
  "docs/README.md": "documents.md",
  "apps/gateway/errors.md": "errors.md",
  "libs/client/README.md": "typescript-client.md",
  "tools/platformctl/README.md": "platformctl.md",
  "CHANGELOG.md": "changelogs/repository.md",
};

/** Returns the path of the page for a Markdown file of the repository. A folder's README becomes the folder's index. */
export function sitePath(source: string): string {
  const moved = movedPaths[source];
  if (moved !== undefined) return moved;
  const [, workspace] = /^(?:apps|libs|tools)\/([^/]+)\/CHANGELOG\.md$/.exec(source) ?? [];
  if (workspace !== undefined) return `changelogs/${workspace}.md`;
  const path = source.replace(/^docs\//, "").toLowerCase();
  return posix.basename(path) === "readme.md" ? posix.join(dirname(path), "index.md") : path;
}

/** Returns the first heading of a page, without its markup. */
export function titleOf(text: string, path: string): string {
  const [, heading] = /^# (.+)$/m.exec(text) ?? [];
  if (heading === undefined) throw new Error(`${path} has no heading of the first level`);
  return heading.replaceAll("`", "");
}

/** Returns the name of a page in the sidebar, below its section. */
export function sidebarTitle({ path, title }: Pick<SitePage, "path" | "title">): string {
  if (path === "quick-start.md") return "Quick start";
  return /^(guides|concepts)\/index\.md$/.test(path) ? "Overview" : title;
}

/** Reads the Markdown pages of the repository. `root` is the repository. */
export function readSections(root: string = repositoryRoot): SiteSection[] {
  const taken = new Set<string>();
  return sections.map(({ title, sources }) => {
    const files = sources.flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
    const own = [...new Set(files)].filter((source) => !taken.has(source));
    for (const source of own) taken.add(source);
    return {
      title,
      pages: own.map((source) => {
        const text = readFileSync(join(root, source), "utf8");
        return { path: sitePath(source), source, title: titleOf(text, source), text };
      }),
    };
  });
}
