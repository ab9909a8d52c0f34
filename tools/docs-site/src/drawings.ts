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

/** Size of an arrowhead and of a segment of its line, in pixels. */
const arrowPixels = 14;

/**
 * Makes each edge reach its target from outside. If an edge shares its target with another one, the library bends it
 * behind the target's border, so that the node covers the arrowhead.
 */
function showArrowheads(svg: string): string {
  const leftOf = new Map(
    [...svg.matchAll(/<g class="node" data-id="([^"]+)"[^>]*>\s*<rect x="([\d.]+)"/g)].map(([, id, x]) => [
      id,
      Number(x),
    ]),
  );
  return svg.replace(
    /(<polyline class="edge" [^>]*data-to="([^"]+)"[^>]* points=")([^"]+)"/g,
    (edge: string, start: string, to: string, list: string) => {
      const points = list.split(" ").map((point) => point.split(",").map(Number));
      const [before, bend, end] = points.slice(-3).map(([x = 0]) => x);
      if (before === undefined || bend === undefined || end === undefined) return edge;
      if (before !== bend || bend <= end || end !== leftOf.get(to)) return edge;
      const moved = points.map(([x, y], at) => [
        at === points.length - 3 || at === points.length - 2 ? end - arrowPixels : x,
        y,
      ]);
      return `${start}${moved.map((point) => point.join(",")).join(" ")}"`;
    },
  );
}

/** Draws the Mermaid blocks of a page as inline SVG, so that no browser has to run Mermaid. */
export function drawDiagrams(text: string): string {
  return text.replace(/^```mermaid\n([\s\S]*?)^```$/gm, (_block, code: string) => {
    const svg = showArrowheads(renderMermaidSVG(code, colours))
      // The style sheet from another host is removed, because it is not needed and the site's policy does not allow it.
      .replace(/@import url\([^)]*\);?/g, "")
      // In the browser, Vue drops style elements of a template, and would then find one node too many when it hydrates
      // the drawing.
      .replace("<style>", '<component is="style">')
      .replace("</style>", "</component>")
      .replaceAll(/\n\s*\n/g, "\n");
    return `<div class="drawing">\n${svg}\n</div>`;
  });
}
