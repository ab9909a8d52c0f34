import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { readReport } from "./read-report.ts";
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

/** The page as the kept reports render it. */
function rendered(): string {
  const files = readdirSync(reports).filter((name) => name.endsWith(".md"));
  const verdicts = files.flatMap((name) => readReport(name, readFileSync(join(reports, name), "utf8")));
  const replaced = replacedReports(verdicts);
  if (replaced.length > 0) throw new Error(`newer reports have every row of ${replaced.join(", ")}; delete them`);
  return withVerdicts(readFileSync(page, "utf8"), verdictLines(verdicts));
}

if (import.meta.main) {
  const text = rendered();
  if (!process.argv.includes("--check")) writeFileSync(page, text);
  else if (readFileSync(page, "utf8") !== text) {
    process.stdout.write("docs/benchmarks/README.md is not what the reports render; run make generate\n");
    process.exitCode = 1;
  }
}
