import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyRepository, type RepositoryCopy } from "@platform/test-kit/repository-copy";
import { afterAll, beforeAll, expect, test } from "vitest";

type Manifest = { nx?: { targets: Record<string, unknown> } };

const tested = ["libs/contracts", "tools/provider-sink"];
let copy: RepositoryCopy;
beforeAll(() => {
  copy = copyRepository();
  // Two projects are enough, so that the ring is short.
  const withUnitTests = copy.run("nx", "show", "projects", "--with-target=unit", "--json");
  for (const name of JSON.parse(withUnitTests) as string[]) {
    const { root } = JSON.parse(copy.run("nx", "show", "project", name, "--json")) as { root: string };
    if (tested.includes(root)) continue;
    const path = join(copy.root, root, "package.json");
    const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
    delete manifest.nx?.targets.unit;
    writeFileSync(path, JSON.stringify(manifest));
  }
});
afterAll(() => copy?.close());

const script = `import { reportTotal, runRing } from "./tools/checks/src/nx/run-ring.ts";
reportTotal([await runRing("unit")]);`;

/** The lines that the unit ring prints; it ends with an error when a test failed. */
function runUnitRing(): { readonly lines: string[]; readonly isFailed: boolean } {
  const linesOf = (text: string): string[] => text.trimEnd().split("\n");
  try {
    return { lines: linesOf(copy.run("node", "--input-type=module", "--eval", script)), isFailed: false };
  } catch (error) {
    return { lines: linesOf((error as { stdout: string }).stdout), isFailed: true };
  }
}

test("prints the number of passed tests last, the same when they come from the cache", () => {
  const first = runUnitRing();
  expect(first.isFailed).toBe(false);
  expect(first.lines.at(-1)).toMatch(/^\d{3,} passed, 0 failed$/);
  const second = runUnitRing();
  expect(second.lines.join("\n")).toMatch(/from the cache/);
  expect(second.lines.at(-1)).toBe(first.lines.at(-1));
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
  expect(lines.at(-2)).toMatch(
    /^failed: unit of tools\/provider-sink: failure, and no failed test: .*Error: nobody listens/,
  );
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
  expect(lines.at(-2)).toMatch(
    /^failed: unit of tools\/provider-sink: failure, and no failed test: .*ended by SIGKILL/,
  );
});
