import { expect, test } from "vitest";
import { renderRegions, withoutRegions } from "./regions.ts";

const file = `first
  # rendered from libs/contracts/src/services.ts: names
  old
  # end of rendered lines
last
`;

test("replaces the lines of a region, and no others", () => {
  expect(renderRegions("a.yaml", file, { names: () => ["  - new", "  - newer"] })).toBe(
    file.replace("  old\n", "  - new\n  - newer\n"),
  );
});

test("passes the current lines of a region to the function that renders it", () => {
  expect(renderRegions("a.yaml", file, { names: (present) => present })).toBe(file);
});

test("finds the name of a region in a comment of Markdown", () => {
  const page = "<!-- rendered from libs/contracts/src/services.ts: names -->\n<!-- end of rendered lines -->";
  expect(renderRegions("a.md", page, { names: () => ["| a |"] })).toBe(page.replace("\n", "\n| a |\n"));
});

test("returns the lines of a file without its regions", () => {
  expect(withoutRegions(file)).toBe(file.replace("  old\n", ""));
});

test.each([
  ["lacks a region", file, { names: () => [], ports: () => [] }, "a.yaml has no region ports"],
  ["has a region that nothing renders", file, {}, "a.yaml has a region names, which nothing renders"],
  [
    "has a region without an end",
    file.replace("  # end of rendered lines\n", ""),
    { names: () => [] },
    "names has no line",
  ],
] as const)("refuses a file that %s", (_what, text, regions, problem) => {
  expect(() => renderRegions("a.yaml", text, regions)).toThrow(problem);
});
