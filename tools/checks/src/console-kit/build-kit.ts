import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postcss, { type ChildNode } from "postcss";
import { PurgeCSS } from "purgecss";
import { repositoryRoot } from "../source-files.ts";

/*
 * Writes the part of the Tabler UI kit that the console uses: `kit.css`, the rules of its classes, and `icons.svg`, the icons that `pages/icons.ts` names.
 * Both are committed, so that images hold neither the kit nor this tool.
 */

const console = join(repositoryRoot, "apps/console/src");
const packages = join(repositoryRoot, "node_modules/@tabler");

/** Selectors of themes that the console does not offer. */
const otherThemes = /data-bs-navbar-theme|data-theme|theme-dark|body\[data-bs-theme|data-bs-theme-/;

/**
 * The rules of the kit that a page can use. Images in the sheet are left out, because the content security policy does not load `data:`; controls keep the
 * browser's look, which needs none.
 */
export async function kitCss(): Promise<string> {
  const file = join(packages, "core/dist/css/tabler.css");
  const [purged] = await new PurgeCSS().purge({
    content: [join(console, "http/**/*.ts"), join(console, "http/assets/console.js")],
    css: [{ raw: withoutOtherThemes(readFileSync(file, "utf8")) }],
    variables: true,
    keyframes: true,
    fontFace: true,
    safelist: { standard: [/^data-bs-theme/], variables: ownVariables() },
  });
  return `${purged?.css ?? ""}`;
}

/** The kit's variables that the console's own sheet reads. */
const ownVariables = (): string[] =>
  readFileSync(join(console, "http/assets/console.css"), "utf8").match(/--tblr-[a-z-]+/g) ?? [];

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

/** How icons are drawn: a symbol inherits from the page that uses it, and from nothing around it in its own file. */
const drawing = 'viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round"';

/** One SVG with a symbol for each icon, of the kit's outline set. */
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

/** The icons that pages name, sorted. */
export function usedIcons(): string[] {
  const [, list = ""] = /iconNames = \[(.*?)\]/s.exec(readFileSync(join(console, "http/pages/icon.ts"), "utf8")) ?? [];
  return [...list.matchAll(/"([a-z0-9-]+)"/g)].map(([, name = ""]) => name).sort();
}

export async function writeKit(): Promise<void> {
  writeFileSync(join(console, "http/assets/kit.css"), await kitCss());
  writeFileSync(join(console, "http/assets/icons.svg"), iconSprite(usedIcons()));
}

if (import.meta.main) await writeKit();
