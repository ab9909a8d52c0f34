import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postcss, { type ChildNode } from "postcss";
import { PurgeCSS } from "purgecss";
import { repositoryRoot } from "../source-files.ts";

/*
 * Writes the parts of the Tabler UI kit that pages use: a `kit.css` with the rules of their classes for the console,
 * the hosted pages and the provider sink, and the console's `icons.svg` with the icons in `pages/icons.ts`. All are
 * committed, so that images contain neither the kit nor this tool.
 */

const console = join(repositoryRoot, "apps/console/src");
const hosted = join(repositoryRoot, "apps/identity-svc/src/http");
const sink = join(repositoryRoot, "tools/provider-sink/src/page");

/**
 * A use of the kit: the files that contain its classes, the files that read its variables, and the folder of its
 * `kit.css`.
 */
export const kitUses = {
  console: {
    content: [join(console, "http/**/*.ts"), join(console, "http/assets/console.js")],
    styles: [join(console, "http/assets/console.css"), join(console, "plots/series-colours.ts")],
    folder: join(console, "http/assets"),
  },
  hosted: {
    content: [join(hosted, "pages/*.ts"), join(hosted, "assets/page.js")],
    styles: [join(hosted, "assets/style.css")],
    folder: join(hosted, "assets"),
  },
  sink: {
    content: [join(sink, "*.ts"), join(sink, "assets/live.js")],
    styles: [join(sink, "assets/page.css"), join(sink, "assets/detail.css")],
    folder: join(sink, "assets"),
  },
} as const;
export type KitUse = keyof typeof kitUses;

const packages = join(repositoryRoot, "node_modules/@tabler");

/** Selectors of themes that the console does not offer. */
const otherThemes = /data-bs-navbar-theme|data-theme|theme-dark|body\[data-bs-theme|data-bs-theme-/;

/**
 * Returns the rules of the kit that a page can use. Images in the style sheet are omitted, because the content security policy does not load `data:` URLs;
 * form controls keep the browser's appearance, which needs no images.
 */
export async function kitCss(use: KitUse): Promise<string> {
  const { content, styles } = kitUses[use];
  const file = join(packages, "core/dist/css/tabler.css");
  const [purged] = await new PurgeCSS().purge({
    content: readContent(content),
    css: [{ raw: withoutOtherThemes(readFileSync(file, "utf8")) }],
    variables: true,
    keyframes: true,
    fontFace: true,
    safelist: { standard: [/^data-bs-theme/], variables: variablesOf(styles) },
  });
  return `${purged?.css ?? ""}`;
}

/** Reads the files that contain classes, without their comments, because a word of a sentence such as `progress` is not a class. */
const readContent = (patterns: readonly string[]): { raw: string; extension: string }[] =>
  globSync([...patterns]).map((file) => ({ raw: withoutComments(readFileSync(file, "utf8")), extension: "ts" }));

/** Removes comments at the beginning of a line. The linter's format permits no others except `//` after code. */
export const withoutComments = (source: string): string =>
  source.replace(/^\s*\/\*.*?\*\//gms, "").replace(/^\s*\/\/.*$/gm, "");

/** Finds the variables of the kit that hand-written styles read. */
const variablesOf = (styles: readonly string[]): string[] =>
  styles.flatMap((style) => readFileSync(style, "utf8").match(/--tblr-[a-z-]+/g) ?? []);

function withoutOtherThemes(css: string): string {
  const root = postcss.parse(css);
  root.walkRules((rule) => {
    const kept = rule.selectors.filter((selector) => !otherThemes.test(selector));
    if (kept.length === 0) rule.remove();
    else if (kept.length < rule.selectors.length) rule.selectors = kept;
  });
  root.walkDecls((declaration) => {
    const isLookOfControl = declaration.prop === "appearance" && declaration.value === "none";
    if (declaration.value.includes("url(") || isLookOfControl) declaration.remove();
  });
  root.walkComments((comment) => {
    if (!comment.text.startsWith("!")) comment.remove();
  });
  root.walk(removeEmpty);
  return root.toString();
}

function removeEmpty(node: ChildNode): void {
  if ("nodes" in node && node.nodes?.length === 0) node.remove();
}

/** Attributes with which icons are drawn. They are set on each symbol, because a symbol inherits only from the page that uses it. */
const drawing = 'viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round"';

/** Creates one SVG with a symbol for each of these icons, from the kit's outline set. */
export function iconSprite(names: readonly string[]): string {
  const symbols = names.map((name) => {
    const svg = readFileSync(join(packages, `icons/icons/outline/${name}.svg`), "utf8");
    const [, shapes = ""] = /<svg[^>]*>(.*)<\/svg>/s.exec(svg) ?? [];
    const drawn = shapes
      .replaceAll(/\s*<path stroke="none"[^>]*\/>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
    return `<symbol id="${name}" ${drawing}>${drawn}</symbol>`;
  });
  return `<!-- Tabler Icons, MIT, https://tabler.io/icons -->
<svg xmlns="http://www.w3.org/2000/svg">
${symbols.join("\n")}
</svg>
`;
}

/** Returns the icons that pages use, sorted. */
export function usedIcons(): string[] {
  const [, list = ""] = /iconNames = \[(.*?)\]/s.exec(readFileSync(join(console, "http/pages/icon.ts"), "utf8")) ?? [];
  return [...list.matchAll(/"([a-z0-9-]+)"/g)].map(([, name = ""]) => name).sort();
}

export async function writeKit(): Promise<void> {
  for (const use of Object.keys(kitUses) as KitUse[]) {
    writeFileSync(join(kitUses[use].folder, "kit.css"), await kitCss(use));
  }
  writeFileSync(join(console, "http/assets/icons.svg"), iconSprite(usedIcons()));
}

if (import.meta.main) await writeKit();
