import { posix } from "node:path";

export type LinkTargets = {
  /** The page of a Markdown file in the repository; undefined if the file is not part of the site. */
  readonly pageOf: (source: string) => string | undefined;
  /** Returns whether the repository contains a file or a folder with this path. */
  readonly exists: (path: string) => boolean;
};

/** Pictures that a page shows; they are copied to the site. */
export const picturePattern = /\.(webp|png|svg)$/;

const fence = /^(`{3,})[^\n]*\n[\s\S]*?^\1`*[ \t]*$/gm;
const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/** Applies a function to the text outside of fenced code. */
export function outsideFences(text: string, change: (prose: string) => string): string {
  let changed = "";
  let end = 0;
  for (const match of text.matchAll(fence)) {
    changed += change(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return changed + change(text.slice(end));
}

/**
 * Rewrites the relative links of a page from the repository's paths to the site's. A link to a file that is not part of
 * the site, such as source code, becomes text with the file's path.
 * @param source path of the page in the repository
 * @param path path of the page in the site
 * @returns the text, and the broken links
 */
export function rewriteLinks(
  text: string,
  { source, path }: { readonly source: string; readonly path: string },
  { pageOf, exists }: LinkTargets,
): { readonly text: string; readonly dead: readonly string[] } {
  const dead: string[] = [];
  const rewritten = outsideFences(text, (prose) =>
    prose.replace(link, (whole, mark: string, label: string, target: string) => {
      if (/^([a-z]+:|#|\/)/.test(target)) return whole;
      const [file = "", anchor] = target.split("#", 2);
      const wanted = posix.join(posix.dirname(source), file).replace(/\/$/, "");
      const page = pageOf(wanted) ?? pageOf(posix.join(wanted, "README.md"));
      if (page !== undefined) {
        const relative = posix.relative(posix.dirname(path), page);
        const from = relative.startsWith(".") ? relative : `./${relative}`;
        return `${mark}[${label}](${from}${anchor === undefined ? "" : `#${anchor}`})`;
      }
      if (!exists(wanted)) {
        dead.push(target);
        return whole;
      }
      if (picturePattern.test(wanted)) return whole;
      const plain = label.replaceAll("`", "");
      return wanted.endsWith(plain) ? `\`${wanted}\`` : `${label} (\`${wanted}\`)`;
    }),
  );
  return { text: rewritten, dead };
}
