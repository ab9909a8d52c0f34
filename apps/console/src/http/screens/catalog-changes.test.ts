import { expect, test } from "vitest";
import { catalogChanges } from "./catalog-changes.ts";

const template = {
  key: "welcome",
  channel: "email",
  locale: "en",
  subject: "Hello",
  text: "one\ntwo\nthree",
  variables: {},
};

test("names the lines of a changed template, and those of added and removed ones", () => {
  const before = [template, { ...template, locale: "ja" }];
  const after = [
    { ...template, text: "one\n2\nthree", variables: { name: "string" } },
    { ...template, locale: "fr" },
  ];
  const changes = catalogChanges(before, after).map(({ template: { locale }, kind, lines }) => [
    locale,
    kind,
    lines.length,
  ]);
  expect(changes).toEqual([
    ["en", "changed", 3],
    ["fr", "added", 4],
    ["ja", "removed", 4],
  ]);
  expect(catalogChanges(before, after)[0]?.lines).toEqual([
    ["-", "text: two"],
    ["+", "text: 2"],
    ["+", "variable name: string"],
  ]);
});

test("finds nothing when the catalogs say the same", () => {
  expect(catalogChanges([template], [{ ...template }])).toEqual([]);
});
