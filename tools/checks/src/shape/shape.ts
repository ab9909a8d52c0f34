import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../source-files.ts";
import { requestPath } from "./request-path.ts";

// `make shape`: counts how much there is to read. A figure over its goal is marked, and nothing fails: people judge it.

/** Uses of undocumented parts of a library or of Node. */
const privateReaches: readonly RegExp[] = [
  /\b_zod\b|\._def\b/,
  /getOwnPropertySymbols|process\.binding|internalBinding/,
  /[A-Za-z]\.prototype\.[A-Za-z]+ = /,
  /from "(?!\.)[^"]+\/(lib|dist|build|src)\/[^"]*"|require\("(?!\.)[^"]+\/(lib|dist|build|src)\//,
  /"[a-z-]+\/lib\/[^"]+\.js"/,
  /(?<!\bthis|[A-Z]\w*)\._(?!id\b|bsontype\b)[a-z]\w*/,
];

/** Paths inside a package that its documentation names for use. */
const documented = [/"nodemailer\/lib\/smtp-connection"/];

const tracked = execFileSync("git", ["ls-files"], { cwd: repositoryRoot, encoding: "utf8" }).split("\n");
const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");
const linesOf = (path: string): number => read(path).split("\n").length - 1;
const sumOf = (paths: readonly string[]): number => paths.reduce((sum, path) => sum + linesOf(path), 0);

const isCode = (path: string): boolean => /\.(ts|js|lua|html|css)$/.test(path) && !path.includes("generated");
const isTest = (path: string): boolean => /\.test\.ts$|\/tests\//.test(path) || path.startsWith("tests/");
const code = tracked.filter((path) => /^(apps|libs|tools|tests)\//.test(path) && isCode(path));
const source = code.filter((path) => !isTest(path));

const printPart = (part: string, within: readonly string[]): void => {
  const tests = sumOf(within.filter(isTest));
  console.log(`${part.padEnd(24)} ${String(sumOf(within) - tests).padStart(9)} ${String(tests).padStart(8)}`);
};
console.log("part                        source    tests");
for (const group of ["apps", "libs", "tools", "tests"]) {
  const inGroup = code.filter((path) => path.startsWith(`${group}/`));
  const parts = [...new Set(inGroup.map((path) => path.split("/").slice(0, 2).join("/")))].sort();
  if (group !== "tests")
    for (const part of parts)
      printPart(
        part,
        inGroup.filter((path) => path.startsWith(`${part}/`)),
      );
  printPart(`${group}, in all`, inGroup);
}

const reaches = source
  .filter((path) => path.endsWith(".ts") && !path.includes("checks/src/shape/"))
  .flatMap((path) =>
    read(path)
      .split("\n")
      .map((line, index) => ({ line, place: `${path}:${index + 1}` })),
  )
  .filter(({ line }) => !/^\s*(\/?\*|\/\/)/.test(line) && privateReaches.some((reach) => reach.test(line)))
  .filter(({ line }) => !documented.some((path) => path.test(line)));
console.log(`\nreaches into private parts:${reaches.length === 0 ? " none" : ""}`);
for (const { place, line } of reaches) console.log(`  ${place}  ${line.trim()}`);

const path = await requestPath();
console.log("\nfrom the gateway's main.ts to the insert of a domain event:");
for (const file of path) console.log(`${String(linesOf(file)).padStart(6)}  ${file}`);

const documents = tracked.filter((file) => /^docs\/.*\.md$/.test(file));
const words = documents.reduce((sum, file) => sum + read(file).split(/\s+/).filter(Boolean).length, 0);
const glossary = documents.includes("docs/glossary.md")
  ? (read("docs/glossary.md").match(/^\| \*\*/gm)?.length ?? 0)
  : 0;

const figures: readonly [what: string, count: number, goal: number][] = [
  ["files from main.ts to the insert", path.length, 45],
  ["lines in them", sumOf(path), 3_800],
  ["files that reach into private parts", new Set(reaches.map(({ place }) => place.split(":")[0])).size, 1],
  ["hand-written source lines (apps, libs, tools)", sumOf(source.filter((file) => !file.startsWith("tests/"))), 39_500],
  ["words in docs/", words, 17_000],
  ["words of our own (docs/glossary.md)", glossary, 20],
  ["files of source over 300 lines", source.filter((file) => linesOf(file) > 300).length, 0],
];
console.log(`\n${"".padEnd(48)}   count     goal`);
for (const [what, count, goal] of figures) {
  const mark = count <= goal ? "" : "  over";
  console.log(`${what.padEnd(48)} ${String(count).padStart(7)} ${String(goal).padStart(8)}${mark}`);
}
