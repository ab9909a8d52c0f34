import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type KitUse, kitUses } from "./build-kit.ts";

const read = (files: readonly string[]): string => files.map((file) => readFileSync(file, "utf8")).join("\n");

/** Finds classes that a page or a script assigns to elements, except those that an expression adds. */
const namedIn = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/\bclass(?:Name)?\s?=\s?"([^"$]*)/g)]
      .flatMap(([, names = ""]) => names.split(/\s+/))
      .filter(Boolean),
  );

/** Finds classes for which a style sheet has a rule, or by which a script selects elements. */
const selectedIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/\.([a-z][a-z0-9_-]*)/gi)].map(([, name = ""]) => name));

describe.each(Object.keys(kitUses) as KitUse[])("%s", (use) => {
  const { content, styles, folder } = kitUses[use];
  const files = globSync([...content]).filter((file) => !file.endsWith(".test.ts"));
  const pages = read(files);
  const ownSheets = read(styles);
  const scripts = read(files.filter((file) => file.endsWith(".js")));

  it("gives elements only classes that a sheet has a rule for or a script selects", () => {
    const known = selectedIn(`${ownSheets}\n${read([join(folder, "kit.css")])}\n${scripts}`);
    expect([...namedIn(pages)].filter((name) => !known.has(name))).toEqual([]);
  });

  it("has no hand-written CSS rule for a class that no page uses", () => {
    const words = new Set(pages.match(/[a-z][a-z0-9_-]*/gi));
    const selectors = ownSheets.replaceAll(/\{[^{}]*\}/g, "{}").replaceAll(/\/\*.*?\*\//gs, "");
    expect([...selectedIn(selectors)].filter((name) => !words.has(name))).toEqual([]);
  });
});
