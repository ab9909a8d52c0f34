import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeText, readTextFile } from "./read-text.ts";

test("decodes UTF-8 and drops its byte-order mark", () => {
  expect(decodeText(Buffer.from("\ufeffsubject: ご注文 🎉\n"), "--file x")).toBe("subject: ご注文 🎉\n");
});

test("refuses Latin-1 and names the first line that has it", () => {
  const latin1 = Buffer.from("a: 1\nb: caf\u00e9\nc: \u00fc\n", "latin1");
  expect(() => decodeText(latin1, "--file menu.yaml")).toThrow("--file menu.yaml: line 2 is not UTF-8");
});

test("refuses Shift_JIS, a cut-off character at the end and an encoded surrogate", () => {
  expect(() => decodeText(Buffer.from([0x83, 0x65, 0x83, 0x58]), "x")).toThrow("line 1");
  expect(() => decodeText(Buffer.from([0x61, 0x0a, 0xe3, 0x81]), "x")).toThrow("line 2");
  expect(() => decodeText(Buffer.from([0xed, 0xa0, 0x80]), "x")).toThrow("line 1");
});

test.each([
  ["little-endian", [0xff, 0xfe, 0x61, 0x00]],
  ["big-endian", [0xfe, 0xff, 0x00, 0x61]],
])("rejects UTF-16 in %s order with an error that names it", (_order, bytes) => {
  expect(() => decodeText(Buffer.from(bytes), "--file x")).toThrow("--file x: the text is UTF-16; save it as UTF-8");
});

test("names the file that cannot be read", () => {
  const path = join(mkdtempSync(join(tmpdir(), "read-text-")), "missing.yaml");
  expect(() => readTextFile(path, "--file")).toThrow(`--file ${path}: ENOENT`);
  writeFileSync(path, "a");
  expect(readTextFile(path, "--file")).toBe("a");
});
