import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawDiagrams } from "./drawings.ts";
import { repositoryRoot } from "./site-pages.ts";

test("replaces a Mermaid block by an SVG that loads nothing", () => {
  const page = drawDiagrams("Before.\n\n```mermaid\nstateDiagram-v2\n  quarantined --> available\n```\n\nAfter.\n");
  expect(page).toMatch(/^Before\.\n\n<div class="drawing">\n<svg [\s\S]*<\/svg>\n<\/div>\n\nAfter\.\n$/);
  expect(page).toContain("quarantined");
  expect(page).not.toContain("<style");
  expect(page).not.toMatch(/@import|https?:\/\/(?!www\.w3\.org)/);
});

const concepts = globSync("docs/concepts/*.md", { cwd: repositoryRoot });

test.each(concepts)("draws every edge of %s so that it reaches its target from outside", (file) => {
  const page = drawDiagrams(readFileSync(join(repositoryRoot, file), "utf8"));
  const leftOf = new Map(
    [...page.matchAll(/<g class="node" data-id="([^"]+)"[^>]*>\s*<rect x="([\d.]+)"/g)].map(([, id, x]) => [
      id,
      Number(x),
    ]),
  );
  const hidden = [...page.matchAll(/data-from="([^"]+)" data-to="([^"]+)"[^>]* points="([^"]+)"/g)].filter(
    ([, , to, points = ""]) => {
      const [bend = 0, end = 0] = points
        .split(" ")
        .slice(-2)
        .map((point) => Number(point.split(",")[0]));
      return end === leftOf.get(to) && bend > end;
    },
  );
  expect(hidden.map(([, from, to]) => `${from} to ${to}`)).toEqual([]);
});
