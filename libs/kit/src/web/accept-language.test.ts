import { expect, test } from "vitest";
import { acceptedLanguage, acceptedLanguages } from "./accept-language.ts";

test.each([
  [undefined, "en"],
  ["", "en"],
  ["ja", "ja"],
  ["ja-JP, en;q=0.8", "ja"],
  ["en;q=0.5, JA;q=0.9", "ja"],
  ["de, fr;q=0.9, ja;q=0.1", "ja"],
  ["ja;q=0", "en"],
  ["jam", "en"],
  ["*", "en"],
])("chooses for %s the language %s", (header, language) => {
  expect(acceptedLanguage(header, ["en", "ja"])).toBe(language);
});

test("lists the languages of a header by preference, without those that it excludes", () => {
  expect(acceptedLanguages("de;q=0.5, zh-TW, en;q=0, fr;q=0.7")).toEqual(["zh-TW", "fr", "de"]);
  expect(acceptedLanguages(undefined)).toEqual([]);
});
