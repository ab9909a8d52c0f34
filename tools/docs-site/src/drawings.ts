import { renderMermaidSVG } from "beautiful-mermaid";

/** The site's own colours, which follow its light or dark theme. */
const colours = {
  bg: "var(--vp-c-bg)",
  fg: "var(--vp-c-text-1)",
  line: "var(--vp-c-text-3)",
  accent: "var(--vp-c-brand-1)",
  muted: "var(--vp-c-text-2)",
  surface: "var(--vp-c-bg-soft)",
  border: "var(--vp-c-border)",
  font: "inherit",
  transparent: true,
};

/** Draws the Mermaid blocks of a page as inline SVG, so that no browser has to run Mermaid. */
export function drawDiagrams(text: string): string {
  return text.replace(/^```mermaid\n([\s\S]*?)^```$/gm, (_block, code: string) => {
    const svg = renderMermaidSVG(code, colours)
      // A style sheet from another host is neither needed nor allowed by the site's policy.
      .replace(/@import url\([^)]*\);?/g, "")
      // Vue leaves style elements of a template out in the browser, and would then find one node too many when it hydrates the drawing.
      .replace("<style>", '<component is="style">')
      .replace("</style>", "</component>")
      .replaceAll(/\n\s*\n/g, "\n");
    return `<div class="drawing">\n${svg}\n</div>`;
  });
}
