import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deadLinks } from "./site-links.ts";

test("reports links to missing pages, missing headings and files outside of the site", () => {
  const folder = mkdtempSync(join(tmpdir(), "site-links-"));
  try {
    mkdirSync(join(folder, "guides"));
    const links = ["./first#step", "/docs/", "/docs/reference/#x", "https://other.example/", "first.md"];
    const dead = ["./nothing", "./first#nothing", "/elsewhere"];
    const anchors = [...links, ...dead].map((link) => `<a href="${link}">x</a>`).join("");
    writeFileSync(join(folder, "index.html"), "<h1>Home</h1>");
    writeFileSync(join(folder, "guides/index.html"), anchors);
    writeFileSync(join(folder, "guides/first.html"), '<h2 id="step">Step</h2>');
    writeFileSync(join(folder, "guides/first.md"), "# First");
    expect(deadLinks(folder, ["/docs/reference/"])).toEqual({
      checked: 7,
      dead: dead.map((link) => `guides/index.html: ${link}`),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
