import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "./source-files.ts";

/** Returns the files that docs/life-of-a-request.md lists. Each heading contains the folder of the paths below it. */
function namedFiles(): string[] {
  let folder = "";
  return readFileSync(join(repositoryRoot, "docs/life-of-a-request.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      folder = /^## .*\(`(.+)`\)$/.exec(line)?.[1] ?? folder;
      return /^(\d+\.| {3}) /.test(line)
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

test("names every file that the stages of the pipeline and the counters of quotas call", () => {
  const files = new Set(namedFiles());
  const folders = ["apps/gateway/src/pipeline", "libs/quota/src", "libs/kit/src/store"];
  const unnamed = [...files]
    .filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)))
    .flatMap((file) => calledBy(file).filter((called) => !files.has(called) && !called.includes("/kit/src/rpc/")));
  // Files that are not on the page: errors of other requests, and parts that only work when a process starts or a store
  // fails.
  expect([...new Set(unnamed)].sort()).toEqual([
    "apps/gateway/src/pipeline/count-refusal.ts",
    "apps/gateway/src/pipeline/page-error.ts",
    "libs/kit/src/store/store-failure.ts",
    "libs/quota/src/connect-redis.ts",
  ]);
});

/** Returns the files of the same folder that a file imports, except type imports. */
function calledBy(file: string): string[] {
  const text = readFileSync(join(repositoryRoot, file), "utf8");
  return [...text.matchAll(/^import (?!type )[^;]*? from "(\.[^"]+)";/gms)].map(([, path = ""]) =>
    join(dirname(file), path),
  );
}
