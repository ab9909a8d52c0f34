import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "./site-pages.ts";

/** Options with which curl fails without printing the body of an error, so that a reader would not see the reason. */
const silent = /\bcurl\b[^\n|;]*\s(?:-[a-zA-Z]*f[a-zA-Z]*|--fail)(?=\s|$)/;

test.each([
  ["curl -sf https://x", true],
  ["curl --fail https://x", true],
  ["curl -sS --fail-with-body https://x", false],
  ["curl -X PUT --data-binary @file https://x", false],
])("detects whether curl hides the body of an error: %s", (command, isSilent) => {
  expect(silent.test(command)).toBe(isSilent);
});

test("finds no command in the documents that hides the body of an error", () => {
  const files = ["README.md", ...globSync("docs/**/*.md", { cwd: repositoryRoot })];
  const found = files.flatMap((file) =>
    readFileSync(join(repositoryRoot, file), "utf8")
      .split("\n")
      .filter((line) => silent.test(line))
      .map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
});
