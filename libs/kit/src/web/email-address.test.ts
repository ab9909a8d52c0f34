import { expect, test } from "vitest";
import { isEmailAddress, normalizeEmail, storedEmailForms } from "./email-address.ts";

test.each([
  [" Ren\u0065\u0301@Example.COM ", "ren\u00e9@example.com"],
  ["person@例え.テスト", "person@xn--r8jz45g.xn--zckzah"],
  ["person@BÜCHER.example", "person@xn--bcher-kva.example"],
  ["person@ｅｘａｍｐｌｅ．com", "person@example.com"],
  ["person@XN--R8JZ45G.xn--zckzah", "person@xn--r8jz45g.xn--zckzah"],
  ["é@example.com", "é@example.com"],
  ["person@evil.example/例え.テスト", "person@evil.example/例え.テスト"],
  ["not an address", "not an address"],
  ['"Abc..Def"@docomo.example', '"abc..def"@docomo.example'],
  ['"abc.def"@people.example', "abc.def@people.example"],
  ['"a\\b c"@people.example', '"ab c"@people.example'],
  ['"a\\"b"@people.example', '"a\\"b"@people.example'],
  ['"a\\\\b"@people.example', '"a\\\\b"@people.example'],
  ['"a@b"@BÜCHER.example', '"a@b"@xn--bcher-kva.example'],
  ['""@people.example', '""@people.example'],
])("normalizes %s to %s", (address, normalized) => {
  expect(normalizeEmail(address)).toBe(normalized);
});

test("finds an address that is stored in Unicode form, whichever way it is written", () => {
  for (const spelling of ["person@例え.テスト", "Person@XN--r8jz45g.xn--zckzah", "person@例え。テスト"]) {
    expect(storedEmailForms(normalizeEmail(spelling))).toContain("person@例え.テスト");
  }
  expect(storedEmailForms("person@example.com")).toEqual(["person@example.com"]);
});

test.each([
  '"abc..def"@d.example',
  '"john smith"@d.example',
  '"a@b"@d.example',
  '"a\\"b"@d.example',
  "ann@bücher.example",
])("accepts %s as an address", (address) => {
  expect(isEmailAddress(address)).toBe(true);
});

test.each([
  "abc..def@d.example",
  '"abc"def@d.example',
  '"abc@d.example',
  '"a"b"@d.example',
  '"a\\"@d.example',
  '"a<b"@d.example',
  '"a\r\nb"@d.example',
  '"a"@d',
  "a@[127.0.0.1]",
])("rejects %j as an address", (address) => {
  expect(isEmailAddress(address)).toBe(false);
});

test("checks a long text in linear time (regular expression denial of service)", () => {
  expect(isEmailAddress(`"${"\\a".repeat(100_000)}`)).toBe(false);
  expect(normalizeEmail(`"${"\\a".repeat(100_000)}@x.example`)).toMatch(/@x\.example$/);
});
