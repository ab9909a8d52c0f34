import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOptions } from "../options.ts";
import { rowLines, writeReport } from "../report.ts";
import type { Check } from "../row.ts";
import { readBehind, readReport } from "./read-report.ts";
import { replacedReports, verdictLines } from "./verdict-lines.ts";
import { reportsInIndex, withVerdicts } from "./write-page.ts";

/** Creates a report of one row as the benchmark writes it. */
function report(id: string, day: string, checks: readonly Check[]): string {
  const measured = [
    { name: "gateway", role: "ours", unit: "requests/s", samples: [] },
    { name: "Fastify 5", role: "peer", unit: "requests/s", work: "same work", samples: [] },
  ] as const;
  const lines = rowLines({
    id,
    title: "a row",
    loadBefore: 2.49,
    measured,
    checks,
    notes: ["**behind**: gateway: by 1.2 ×"],
  });
  return [`One run of \`make bench\`, ${day}: medians.`, ...lines].join("\n");
}
const ratio = (value: string, met: boolean | null): Check => ({ text: "gateway / Fastify 5 ≥ 1.25", value, met });

test("reads the targets of a report with the names of their contenders", () => {
  const count: Check = { text: "none of 10 lost or doubled", value: "0 lost, 0 doubled", met: true };
  expect(readReport("a.md", report("B1", "2026-11-25", [ratio("1.21 ×", false), count]))).toEqual([
    {
      ...{ row: "B1", target: "gateway / Fastify 5 ≥ 1.25", store: null, value: "1.21 ×" },
      ...{ isMet: false, day: "2026-11-25", report: "a.md" },
    },
    {
      ...{ row: "B1", target: "none of 10 lost or doubled", store: null, value: "0 lost, 0 doubled" },
      ...{ isMet: true, day: "2026-11-25", report: "a.md" },
    },
  ]);
});

test("prints the load of the machine under the title of each row, and reads the range of a ratio as part of its value", () => {
  const text = report("B1", "2026-11-25", [ratio("1.01 × (0.92–1.07)", false)]);
  expect(text).toContain("## B1 a row\n\nLoad average of the minute before the row: 2.49.\n");
  expect(readReport("a.md", text)).toMatchObject([{ row: "B1", value: "1.01 × (0.92–1.07)" }]);
});

test("refuses a report that does not name the day of its run", () => {
  expect(() => readReport("a.md", "# Results")).toThrow("a.md does not name the day");
});

test("shows what the newest report of a row measured, and the reason only while a target is missed", () => {
  const older = readReport("old.md", report("B1", "2026-11-24", [ratio("1.00 ×", false)]));
  const newer = readReport("new.md", report("B1", "2026-11-25", [ratio("1.30 ×", true)]));
  expect(verdictLines(older).join("\n")).toContain("- **B1** misses a target of “Fastify”. The gateway does more");
  const lines = verdictLines([...older, ...newer]).join("\n");
  expect(lines).toContain("| gateway / Fastify 5 ≥ 1.25 | 1.30 × | met | [2026-11-25](");
  expect(lines).not.toMatch(/old\.md|1\.00|misses a target/);
  expect(replacedReports([...older, ...newer])).toEqual(["old.md"]);
});

test("shows the newest report of each store", () => {
  const embedded = readReport("embedded.md", report("B1", "2026-11-24", [ratio("1.30 ×", true)]));
  const onFerretDb = (day: string, value: string) =>
    readReport(`${day}.md`, `# Pipeline on FerretDB v2.7.0\n${report("B1", day, [ratio(value, true)])}`);
  const all = [...embedded, ...onFerretDb("2026-11-25", "1.40 ×"), ...onFerretDb("2026-11-26", "1.50 ×")];
  const lines = verdictLines(all).join("\n");
  expect(lines).toContain("| gateway / Fastify 5 ≥ 1.25 | 1.30 × |");
  expect(lines).toContain("| on FerretDB: gateway / Fastify 5 ≥ 1.25 | 1.50 × |");
  expect(replacedReports(all)).toEqual(["2026-11-25.md"]);
});

test("leaves out what a run found about the version before", () => {
  const lost: Check = { text: "before: none of 10 lost or doubled", value: "1 lost, 0 doubled", met: false };
  const verdicts = readReport("a.md", report("B7", "2026-11-25", [ratio("1.30 ×", true), lost]));
  expect(verdictLines(verdicts).join("\n")).not.toMatch(/before|missed/);
});

test("shows each figure of a row that was measured several times on one day", () => {
  const text = ["1.20 ×", "1.30 ×"].map((value) => report("B1", "2026-11-25", [ratio(value, value > "1.25")]));
  expect(verdictLines(readReport("floors.md", text.join("\n"))).join("\n")).toContain(
    "| 1.20 ×; 1.30 × | **met in 1 of 2** |",
  );
});

test("reads a row that one report contains several times", () => {
  const directory = mkdtempSync(join(tmpdir(), "repeated-"));
  const row = { id: "B3", title: "a row", loadBefore: 1, measured: [], notes: [] };
  const results = ["1.20 ×", "1.30 ×"].map((value) => ({ ...row, checks: [{ text: "calls", value, met: true }] }));
  const options = readOptions({ ROWS: "b3,b7", RUNS: "3", SECONDS: "2", REPEAT: "2" });
  writeReport(directory, { machine: { store: "a store", lines: [] }, options, results });
  const text = readFileSync(join(directory, "results-b3-b7.md"), "utf8");
  expect(text).toContain("`make bench RUNS=3 SECONDS=2 REPEAT=2 ROWS=B3,B7`");
  expect(readReport("a.md", text).map(({ row, value }) => `${row} ${value}`)).toEqual(["B3 1.20 ×", "B3 1.30 ×"]);
});

test("lists rows that no report has measured", () => {
  expect(verdictLines([]).at(-1)).toMatch(/^- No kept report has a target of SPINE, B1, /);
});

test("names faster products first, also those that leave out work", () => {
  const text = report("PEERS", "2026-11-26", [ratio("1.30 ×", true)]);
  expect(text.indexOf("**behind**")).toBeLessThan(text.indexOf("- met: "));
  const older = readBehind("old.md", report("PEERS", "2026-11-25", []));
  const lines = verdictLines(readReport("a.md", text), [...older, ...readBehind("a.md", text)]);
  expect(lines.filter((line) => line.includes("by 1.2 ×"))).toEqual([
    "- **PEERS**, [2026-11-26](../../tools/proofs/bench/reports/a.md): gateway: by 1.2 ×",
  ]);
});

test("shows missed targets before the others", () => {
  const met = readReport("a.md", report("B1", "2026-11-25", [ratio("1.30 ×", true)]));
  const missed = readReport("a.md", report("B7", "2026-11-25", [ratio("0.90 ×", false)]));
  const rows = verdictLines([...met, ...missed]).flatMap((line) => /^\| ([A-Z0-9]+) \|/.exec(line)?.[1] ?? []);
  expect(rows).toEqual(["B7", "B1"]);
});

test("refuses a missed target without a reason", () => {
  const missed = readReport("a.md", report("GROWTH", "2026-11-25", [ratio("2.00 ×", false)]));
  expect(() => verdictLines(missed)).toThrow(
    "a target of GROWTH is missed: gateway / Fastify 5 ≥ 1.25; give the reason",
  );
});

test("does not explain a missed target by the reason of another one of its row", () => {
  const ofBefore = { text: "gateway / before: gateway ≥ 0.8", value: "0.70 ×", met: false };
  expect(() => verdictLines(readReport("a.md", report("B1", "2026-11-25", [ofBefore])))).toThrow("a target of B1");
  const ofPeer = { text: "upload / tusd ≥ 1", value: "0.70 ×", met: false };
  expect(() => verdictLines(readReport("a.md", report("PEERS", "2026-11-25", [ofPeer])))).toThrow("upload / tusd ≥ 1");
  const ofCalls = { text: "calls / BullMQ ≥ 1", value: "0.70 ×", met: false };
  expect(verdictLines(readReport("a.md", report("PEERS", "2026-11-25", [ofCalls])))).toContainEqual(
    expect.stringMatching(/^- \*\*PEERS\*\* misses a target of “BullMQ”\. A BullMQ worker/),
  );
});

test("replaces the rendered lines of the page and nothing else", () => {
  const page = "# Page\n<!-- rendered from tools/proofs/bench/reports -->\nold\n<!-- end of rendered lines -->\nrest\n";
  expect(withVerdicts(page, ["new"])).toBe(page.replace("old", "new"));
  expect(() => withVerdicts("# Page\n", [])).toThrow("lacks the line");
});

test("checks the page against the reports in the index, whatever a benchmark has written since", () => {
  const folder = mkdtempSync(join(tmpdir(), "reports-"));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write("kept.md", "as committed");
  for (const args of [
    ["init", "-q"],
    ["add", "kept.md"],
  ])
    execFileSync("git", ["-C", folder, ...args]);
  write("kept.md", "measured again");
  write("new.md", "measured");
  expect([...reportsInIndex(folder)]).toEqual([["kept.md", "as committed"]]);
});
