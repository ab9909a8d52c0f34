import { expect, test } from "vitest";
import { drawDiagrams } from "./drawings.ts";

test("replaces a Mermaid block by an SVG that loads nothing", () => {
  const page = drawDiagrams("Before.\n\n```mermaid\nstateDiagram-v2\n  quarantined --> available\n```\n\nAfter.\n");
  expect(page).toMatch(/^Before\.\n\n<div class="drawing">\n<svg [\s\S]*<\/svg>\n<\/div>\n\nAfter\.\n$/);
  expect(page).toContain("quarantined");
  expect(page).not.toContain("<style");
  expect(page).not.toMatch(/@import|https?:\/\/(?!www\.w3\.org)/);
});
