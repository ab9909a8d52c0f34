import { expect, test } from "vitest";
import { normalizeEmail, storedEmailForms } from "./email-address.ts";

test.each([
  [" Ren\u0065\u0301@Example.COM ", "ren\u00e9@example.com"],
  ["person@例え.テスト", "person@xn--r8jz45g.xn--zckzah"],
  ["person@BÜCHER.example", "person@xn--bcher-kva.example"],
  ["person@ｅｘａｍｐｌｅ．com", "person@example.com"],
  ["person@XN--R8JZ45G.xn--zckzah", "person@xn--r8jz45g.xn--zckzah"],
  ["é@example.com", "é@example.com"],
  ["person@evil.example/例え.テスト", "person@evil.example/例え.テスト"],
  ["not an address", "not an address"],
])("compares %s as %s", (address, normalized) => {
  expect(normalizeEmail(address)).toBe(normalized);
});

test("finds an address stored in Unicode form by every spelling", () => {
  for (const spelling of ["person@例え.テスト", "Person@XN--r8jz45g.xn--zckzah", "person@例え。テスト"]) {
    expect(storedEmailForms(normalizeEmail(spelling))).toContain("person@例え.テスト");
  }
  expect(storedEmailForms("person@example.com")).toEqual(["person@example.com"]);
});
