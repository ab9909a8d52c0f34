import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../source-files.ts";
import { iconSprite, type KitUse, kitCss, kitUses, usedIcons, withoutComments } from "./build-kit.ts";

const uses = Object.keys(kitUses) as KitUse[];
const kitOf = (use: KitUse): string => readFileSync(join(kitUses[use].folder, "kit.css"), "utf8");

const asset = (name: string): string =>
  readFileSync(join(repositoryRoot, "apps/console/src/http/assets", name), "utf8");

it("finds the committed part of the kit equal to the output of `npm run generate`", async () => {
  for (const use of uses) expect(await kitCss(use)).toBe(kitOf(use));
  expect(iconSprite(usedIcons())).toBe(asset("icons.svg"));
});

it("ignores class names in comments", () => {
  const source = '/** Shows the progress\n * of an upload. */\n// An alert.\nconst page = html`<b class="badge">`;';
  expect(withoutComments(source).trim()).toBe('const page = html`<b class="badge">`;');
});

it("leaves nothing in the kit's sheet that the content security policy blocks", () => {
  for (const use of uses) expect(kitOf(use)).not.toMatch(/url\(|@import/);
  expect(asset("icons.svg")).not.toMatch(/<script|<style|\son\w+=|\sstyle=/);
});

it("keeps the console's own sheet below 150 lines", () => {
  expect(asset("console.css").split("\n").length - 1).toBeLessThan(150);
});
