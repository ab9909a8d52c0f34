import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { argumentsIn } from "./versions.ts";

const folder = mkdtempSync(join(tmpdir(), "versions-"));
const [own, earlier] = [join(folder, "own"), join(folder, "earlier")] as const;
for (const [root, entries] of [
  [own, ["start-server.ts", "start-bounces.ts"]],
  [earlier, ["start-server.ts"]],
] as const) {
  mkdirSync(join(root, "apps"), { recursive: true });
  for (const entry of entries) writeFileSync(join(root, "apps", entry), "");
}
afterAll(() => rmSync(folder, { recursive: true }));

const argumentsOf = (entry: string): string[] => ["--min-semi-space-size=32", join(own, "apps", entry)];

test("starts the entry point of the other checkout with the same arguments of Node", () => {
  expect(argumentsIn(earlier, argumentsOf("start-server.ts"), own)).toEqual([
    "--min-semi-space-size=32",
    join(earlier, "apps/start-server.ts"),
  ]);
});

test("reports that an earlier version has no such process if its checkout lacks the entry point", () => {
  expect(argumentsIn(earlier, argumentsOf("start-bounces.ts"), own)).toBeNull();
});

test("does not change the arguments of its own checkout, even those with files that do not exist yet", () => {
  const args = ["--dir", join(own, ".local/redis")];
  expect(argumentsIn(own, args, own)).toEqual(args);
});
