import { expect, test } from "vitest";
import { failureOf } from "./install.ts";

test("reports that a missing command is not installed", () => {
  expect(failureOf(Object.assign(new Error("spawnSync mvn ENOENT"), { code: "ENOENT" }))).toBe(
    "the command is not installed",
  );
});

test("quotes the last line that a failed installation printed, without addresses", () => {
  const failure = {
    message: "Command failed",
    stdout: Buffer.from("resolving\n"),
    stderr: Buffer.from("get https://registry.example/a: refused\n\n"),
  };
  expect(failureOf(failure)).toBe("get … refused");
});

test("quotes the error of an installation that printed nothing", () => {
  expect(failureOf({ message: "Command failed", stdout: Buffer.from(""), stderr: Buffer.from("") })).toBe(
    "Command failed",
  );
});
