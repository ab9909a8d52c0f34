import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { readBehind, readReport } from "./read-report.ts";
import { replacedReports, verdictLines } from "./verdict-lines.ts";

const page = join(repositoryRoot, "docs/benchmarks/README.md");
const reports = join(repositoryRoot, "tools/proofs/bench/reports");
const beginning = "<!-- rendered from tools/proofs/bench/reports -->\n";
const end = "<!-- end of rendered lines -->";

/** Replaces the lines between the two comments of the page. */
export function withVerdicts(text: string, lines: readonly string[]): string {
  const [from, to] = [text.indexOf(beginning), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks/README.md lacks the line ${beginning.trim()} or ${end}`);
  return `${text.slice(0, from + beginning.length)}${lines.join("\n")}\n${text.slice(to)}`;
}

/** Reads the reports in the folder, including those that a benchmark has just written. */
const reportsInFolder = (): Map<string, string> =>
  new Map(
    readdirSync(reports)
      .filter((name) => name.endsWith(".md"))
      .map((name) => [name, readFileSync(join(reports, name), "utf8")]),
  );

/** Reads the reports of a folder as they are in Git's index, so that a benchmark that somebody has run on their machine fails no check. */
export function reportsInIndex(folder: string): Map<string, string> {
  const git = (...args: string[]): string => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });
  const files = git("ls-files", "--", "*.md").split("\n").filter(Boolean);
  return new Map(files.map((file) => [basename(file), git("show", `:./${file}`)]));
}

/** Renders the page from reports. */
function rendered(texts: ReadonlyMap<string, string>): string {
  const verdicts = [...texts].flatMap(([name, text]) => readReport(name, text));
  const behind = [...texts].flatMap(([name, text]) => readBehind(name, text));
  const replaced = replacedReports(verdicts);
  if (replaced.length > 0) throw new Error(`newer reports have every row of ${replaced.join(", ")}; delete them`);
  return withVerdicts(readFileSync(page, "utf8"), verdictLines(verdicts, behind));
}

if (import.meta.main) {
  if (!process.argv.includes("--check")) writeFileSync(page, rendered(reportsInFolder()));
  else if (readFileSync(page, "utf8") !== rendered(reportsInIndex(reports))) {
    process.stdout.write(
      "docs/benchmarks/README.md is not what the committed reports render; run make generate, and add both to the commit\n",
    );
    process.exitCode = 1;
  }
}
