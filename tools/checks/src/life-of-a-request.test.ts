import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "./source-files.ts";

/** The files that docs/life-of-a-request.md names. Each heading gives the folder of the paths below it. */
function namedFiles(): string[] {
  let folder = "";
  return readFileSync(join(repositoryRoot, "docs/life-of-a-request.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      folder = /^## .*\(`(.+)`\)$/.exec(line)?.[1] ?? folder;
      return /^\d+\. /.test(line)
        ? [...line.matchAll(/`([^`]+\.ts)`/g)].map(([, path = ""]) => join(folder, path))
        : [];
    });
}

test("names each file on the way of a request once, and only files that exist", () => {
  const files = namedFiles();
  expect(files.length).toBeGreaterThan(30);
  expect(new Set(files).size).toBe(files.length);
  expect(files.filter((file) => !existsSync(join(repositoryRoot, file)))).toEqual([]);
});
