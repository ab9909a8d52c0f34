import { parseExactly } from "@platform/contracts/exact-json";
import { expect, test } from "vitest";
import { printable, printableJson } from "./printable.ts";
import { forTerminal } from "./table.ts";

const takeover = "\u001b]52;c;ZWNobw==\u0007\u009b2J\u202egnp.exe";

test("shows an escape sequence, a C1 control and a bidirectional override as escapes", () => {
  expect(printable(takeover)).toBe("\\u001b]52;c;ZWNobw==\\u0007\\u009b2J\\u202egnp.exe");
});

test("keeps tabs, line feeds and text of any language", () => {
  expect(printable("a\tb\nご注文 العربية 🎉")).toBe("a\tb\nご注文 العربية 🎉");
});

test("does not let a carriage return overwrite the line", () => {
  expect(printable("failed\rsent  ")).toBe("failed\\u000dsent  ");
});

test("prints JSON of the same value without control characters", () => {
  const value = { legacy_subject: `${takeover}\n`, exact: parseExactly("1.10") };
  const text = printableJson(value);
  expect(text).toMatch(/^[\u0020-\u007e]*$/);
  expect(JSON.parse(text).legacy_subject).toBe(value.legacy_subject);
  expect(text).toContain("1.10");
});

test("does not let a value with a line feed imitate another field", () => {
  expect(forTerminal({ subject: "a\nstatus  completed", status: "pending" })).toBe(
    ["subject  a", "         status  completed", "status   pending"].join("\n"),
  );
});
