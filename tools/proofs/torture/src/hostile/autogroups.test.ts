import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { disableAutogroups } from "./autogroups.ts";

/** A file in the place of the kernel's setting. */
function settingOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "autogroups-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "sched_autogroup_enabled");
  writeFileSync(path, text);
  return path;
}

test("disables autogroups and restores the setting", () => {
  const path = settingOf("1\n");
  const restore = disableAutogroups(path);
  expect(readFileSync(path, "utf8")).toBe("0\n");
  restore();
  expect(readFileSync(path, "utf8")).toBe("1\n");
});

test("leaves autogroups disabled where they were before", () => {
  const path = settingOf("0\n");
  disableAutogroups(path)();
  expect(readFileSync(path, "utf8")).toBe("0\n");
});

test("accepts a kernel without autogroups", () => {
  expect(() => disableAutogroups(join(settingOf(""), "missing"))()).not.toThrow();
});

test("says what to do where the setting cannot be changed", () => {
  // Nobody may write this file, not even root.
  expect(() => disableAutogroups("/proc/version")).toThrow("sysctl kernel.sched_autogroup_enabled=0");
});
