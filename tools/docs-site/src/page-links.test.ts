import { expect, test } from "vitest";
import { rewriteLinks } from "./page-links.ts";

const pages: Readonly<Record<string, string>> = {
  "docs/events.md": "events.md",
  "docs/guides/README.md": "guides/index.md",
  "apps/gateway/errors.md": "errors.md",
};
const files = new Set(["tests/sample-project/src/app.ts", "docs/console/overview.webp", "libs/kit"]);
const targets = { pageOf: (source: string) => pages[source], exists: (path: string) => files.has(path) };
const page = { source: "docs/guides/first.md", path: "guides/first.md" };

test.each([
  ["a page of another folder", "[events](../events.md#order)", "[events](../events.md#order)"],
  ["a page that moved", "[errors](../../apps/gateway/errors.md)", "[errors](../errors.md)"],
  ["a README", "[guides](README.md)", "[guides](./index.md)"],
  ["a folder with a README", "[guides](../guides)", "[guides](./index.md)"],
  ["source code", "[an app](../../tests/sample-project/src/app.ts)", "an app (`tests/sample-project/src/app.ts`)"],
  ["a folder that is named by its path", "[libs/kit](../../libs/kit)", "`libs/kit`"],
  ["a picture", "[overview](../console/overview.webp)", "[overview](../console/overview.webp)"],
  ["an anchor of the page", "[below](#below)", "[below](#below)"],
  ["another host", "[CEL](https://cel.dev)", "[CEL](https://cel.dev)"],
  ["fenced code", "```sh\n[x](nothing.md)\n```", "```sh\n[x](nothing.md)\n```"],
])("rewrites a link to %s", (_name, text, expected) => {
  expect(rewriteLinks(text, page, targets)).toEqual({ text: expected, dead: [] });
});

test("reports a link to a file that does not exist", () => {
  expect(rewriteLinks("See [that](nothing.md#here).", page, targets).dead).toEqual(["nothing.md#here"]);
});
