import { expect, test } from "vitest";
import { languageOf, languages, matchingLanguage, nameOf } from "./page-language.ts";

test.each([
  ["ja", "ja"],
  ["ja-JP", "ja"],
  ["ja_JP", "ja"],
  ["de-AT", "de"],
  ["pt-PT", "pt-BR"],
  ["PT-br", "pt-BR"],
  ["zh", "zh-Hans"],
  ["zh-SG", "zh-Hans"],
  ["zh-TW", "zh-Hant"],
  ["zh-HK", "zh-Hant"],
  ["zh-Hant-CN", "zh-Hant"],
  ["ar-EG", "ar"],
  ["es-419", "es"],
  ["sv", null],
  ["jam", null],
  ["*", null],
  ["not a tag", null],
  ["", null],
])("maps the language tag %s to the language %s", (tag, language) => {
  expect(matchingLanguage(tag)).toBe(language);
  expect(languageOf(tag)).toBe(language ?? "en");
});

test("names each language in that language", () => {
  expect(languages.map(nameOf)).toEqual([
    "English",
    "日本語",
    "Deutsch",
    "Français",
    "Español",
    "Português (Brasil)",
    "한국어",
    "简体中文",
    "繁體中文",
    "العربية",
  ]);
});
