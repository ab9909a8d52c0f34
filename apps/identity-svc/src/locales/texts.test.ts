import { readdirSync } from "node:fs";
import { IntlMessageFormat } from "intl-messageformat";
import { expect, test } from "vitest";
import { languages } from "../domain/page-language.ts";
import { catalogs, richTextsOf, type TextKey, textsOf } from "./texts.ts";

type Element = ReturnType<IntlMessageFormat["getAst"]>[number];
/** The kinds of the parser's elements (`TYPE` of @formatjs/icu-messageformat-parser) that texts may have. */
const kinds = { literal: 0, argument: 1, plural: 6, pound: 7 } as const;

/** The arguments of a text with their kinds, including those in every branch of a plural. */
function argumentsOf(elements: readonly Element[]): string[] {
  const names = elements.flatMap((element): string[] => {
    if (element.type === kinds.literal || element.type === kinds.pound) return [];
    if (element.type === kinds.argument) return [`${element.value}: value`];
    if (element.type !== kinds.plural) return [`unexpected kind ${element.type}`];
    const branches = Object.values(element.options).flatMap(({ value }) => argumentsOf(value));
    return [`${element.value}: plural`, ...branches];
  });
  return [...new Set(names)].toSorted();
}

/** The plural categories of each plural in a text, without its exact numbers. */
function categoriesOf(elements: readonly Element[]): string[][] {
  return elements.flatMap((element) =>
    element.type === kinds.plural
      ? [
          Object.keys(element.options)
            .filter((name) => !name.startsWith("="))
            .toSorted(),
        ]
      : [],
  );
}

const parsed = (text: string, language: string): readonly Element[] =>
  new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst();
const keys = Object.keys(catalogs.en) as TextKey[];

test("lists exactly the languages that have a file", () => {
  const files = readdirSync(new URL("./", import.meta.url)).filter((name) => name.endsWith(".json"));
  expect(files.toSorted()).toEqual(languages.map((language) => `${language}.json`).toSorted());
});

test.each(languages)(
  "contains every text in %s, in the order of the English file, without an empty one",
  (language) => {
    expect(Object.keys(catalogs[language])).toEqual(keys);
    expect(keys.filter((key) => catalogs[language][key].trim() !== catalogs[language][key])).toEqual([]);
    expect(keys.filter((key) => catalogs[language][key] === "")).toEqual([]);
  },
);

test.each(languages)("uses the same placeholders in every text in %s as in the English text", (language) => {
  const differences = keys.filter(
    (key) =>
      argumentsOf(parsed(catalogs[language][key], language)).join() !==
      argumentsOf(parsed(catalogs.en[key], "en")).join(),
  );
  expect(differences).toEqual([]);
});

test.each(languages)("has exactly the plural forms of the language in every plural in %s", (language) => {
  const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
  for (const key of keys) {
    for (const categories of categoriesOf(parsed(catalogs[language][key], language))) {
      expect([key, categories]).toEqual([key, needed]);
    }
  }
});

test("keeps text that looks like markup or like a placeholder as it is", () => {
  expect(textsOf("en")("backTo", { project: "<b>{x}</b> 'y'" })).toBe("Back to <b>{x}</b> 'y'");
});

test("isolates names and addresses in text from right to left, where punctuation would move", () => {
  expect(textsOf("ar")("backTo", { project: "Acme (EU)." })).toBe("العودة إلى \u2068Acme (EU).\u2069");
  expect(textsOf("ar")("step", { step: 1, steps: 3 })).toBe("الخطوة 1 من 3");
});

test("chooses the plural form that the language requires", () => {
  const ended = (language: (typeof languages)[number], count: number): string =>
    textsOf(language)("account.sessions.endOthers", { count });
  expect([ended("en", 1), ended("en", 2)]).toEqual(["Sign out the other session", "Sign out the 2 other sessions"]);
  expect(new Set([1, 2, 3, 11].map((count) => ended("ar", count))).size).toBe(4);
});

test("throws if a value is missing, instead of leaving a gap in the text", () => {
  expect(() => textsOf("en")("backTo")).toThrow(/project/);
});

test("inserts parts of a page without escaping them", () => {
  const part = { html: "<time>now</time>" };
  expect(richTextsOf("en")("account.address.confirmed", { date: part })).toEqual(["Confirmed on ", part]);
});
