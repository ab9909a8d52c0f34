import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyRepository, type RepositoryCopy } from "@platform/test-kit/repository-copy";
import { workspaceFolders } from "@platform/test-kit/workspaces";
import { afterAll, beforeAll, expect, test } from "vitest";

type Manifest = { nx?: { targets?: Record<string, unknown> } };

const tested = ["libs/contracts", "tools/provider-sink"];
let copy: RepositoryCopy;
beforeAll(() => {
  copy = copyRepository();
  // Two projects are enough to test the ring quickly.
  for (const folder of workspaceFolders(copy.root)) {
    if (tested.includes(folder)) continue;
    const path = join(folder, "package.json");
    const manifest = JSON.parse(readFileSync(join(copy.root, path), "utf8")) as Manifest;
    delete manifest.nx?.targets?.unit;
    writeFileSync(join(copy.root, path), JSON.stringify(manifest));
    const files = globSync(["*.test.ts", "src/**/*.test.ts"], { cwd: join(copy.root, folder) });
    for (const file of files) rmSync(join(copy.root, folder, file));
  }
});
afterAll(() => copy?.close());

const ringScript = `import { reportTotal, runRing } from "./tools/checks/src/nx/run-ring.ts";
reportTotal([await runRing("unit", process.env, 20_000)]);`;

/** The lines that the unit ring prints. It exits with an error if a test failed. */
function runUnitRing(): { readonly lines: string[]; readonly isFailed: boolean } {
  const linesOf = (text: string): string[] => text.trimEnd().split("\n");
  try {
    return { lines: linesOf(copy.run("node", "--input-type=module", "--eval", ringScript)), isFailed: false };
  } catch (error) {
    return { lines: linesOf((error as { stdout: string }).stdout), isFailed: true };
  }
}

test("prints the slowest files, the seconds and last the number of passed tests", () => {
  const { lines, isFailed } = runUnitRing();
  expect(isFailed).toBe(false);
  expect(lines.at(-1)).toMatch(/^\d{3,} passed, 0 failed$/);
  expect(lines.at(-2)).toMatch(/^unit: \d+\.\d s$/);
  const from = lines.indexOf("slowest files") + 1;
  const slowest = lines.slice(from, from + 5);
  for (const line of slowest) expect(line).toMatch(/^ +\d+\.\d s {2}(libs|tools)\/\S+\.test\.ts$/);
});

test("counts a project of which no test ran as failed, and names it", () => {
  const folder = "tools/proofs/torture";
  const path = join(copy.root, folder, "package.json");
  const before = readFileSync(path, "utf8");
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(before) as Manifest), nx: { targets: { unit: {} } } }));
  const { lines, isFailed } = runUnitRing();
  writeFileSync(path, before);
  expect(isFailed).toBe(true);
  expect(lines.at(-2)).toBe(`failed: unit of ${folder}: none of its tests passed`);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
});

test("uses the cached result of a project's unit tests when none of their inputs has changed", () => {
  const target = "@platform/contracts:unit";
  copy.run("nx", "run", target);
  expect(copy.run("nx", "run", target)).toMatch(/from the cache|read the output from the cache|local cache/i);
});

test("names the failed test before the last line, and exits with an error", () => {
  const path = join(copy.root, "tools/provider-sink/src/broken.test.ts");
  writeFileSync(path, 'import { expect, test } from "vitest";\ntest("adds", () => expect(1 + 1).toBe(3));\n');
  const { lines, isFailed } = runUnitRing();
  expect(isFailed).toBe(true);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
  expect(lines.at(-2)).toMatch(/^failed: unit tools\/provider-sink\/src\/broken\.test\.ts "adds": /);
});

test("counts a project whose tests cannot be loaded as failed", () => {
  const path = join(copy.root, "tools/provider-sink/src/broken.test.ts");
  writeFileSync(path, 'import "./missing.ts";\n');
  const { lines, isFailed } = runUnitRing();
  expect(isFailed).toBe(true);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
  expect(lines.at(-2)).toMatch(/^failed: unit tools\/provider-sink\/src\/broken\.test\.ts \(the file\): /);
});

test("names the error that no test caught, and the file that ran then", () => {
  const path = join(copy.root, "tools/provider-sink/src/broken.test.ts");
  writeFileSync(
    path,
    `import { test } from "vitest";
test("waits", async () => {
  void Promise.reject(new Error("nobody listens"));
  await new Promise((resolve) => setImmediate(resolve));
});
`,
  );
  const { lines, isFailed } = runUnitRing();
  expect(isFailed).toBe(true);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
  expect(lines.at(-2)).toMatch(/^failed: unit ended with 1, and no failed test: .*Error: nobody listens/);
  expect(lines.at(-2)).toContain("tools/provider-sink/src/broken.test.ts");
});

test("names the tests that did not run because their set-up failed", () => {
  const path = join(copy.root, "tools/provider-sink/src/broken.test.ts");
  writeFileSync(
    path,
    `import { beforeAll, expect, test } from "vitest";
beforeAll(() => { throw new Error("no server"); });
test("adds", () => expect(1 + 1).toBe(2));
`,
  );
  const { lines } = runUnitRing();
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed, 1 skipped$/);
  expect(lines.at(-2)).toMatch(/^failed: unit tools\/provider-sink\/src\/broken\.test\.ts \(the file\): no server/);
  expect(lines.at(-3)).toBe('skipped: unit tools/provider-sink/src/broken.test.ts "adds"');
});

test("names the signal that ended a run of vitest", () => {
  const path = join(copy.root, "tools/provider-sink/src/broken.test.ts");
  writeFileSync(
    path,
    `import { test } from "vitest";
test("ends vitest", () => void process.kill(process.ppid, "SIGKILL"));
`,
  );
  const { lines, isFailed } = runUnitRing();
  expect(isFailed).toBe(true);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
  expect(lines.at(-2)).toMatch(/^failed: unit (was ended by SIGKILL|ended with 137), and no failed test: /);
});

test("ends when a test has left a program running, and says so", () => {
  const path = join(copy.root, "tools/provider-sink/src/broken.test.ts");
  writeFileSync(
    path,
    `import { spawn } from "node:child_process";
import { test } from "vitest";
test("leaves a program", () => void spawn("sleep", ["100"], { stdio: "inherit" }).unref());
`,
  );
  const { lines, isFailed } = runUnitRing();
  expect(isFailed).toBe(true);
  expect(lines.at(-1)).toMatch(/^\d+ passed, 1 failed$/);
  expect(lines.at(-2)).toMatch(
    /^failed: unit: the tests have ended, but vitest has not: a test left a program running/,
  );
});
