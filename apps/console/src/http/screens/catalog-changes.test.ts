import { expect, test } from "vitest";
import { catalogChanges, linesShownMax } from "./catalog-changes.ts";

const template = {
  key: "welcome",
  channel: "email",
  locale: "en",
  subject: "Hello",
  text: "one\ntwo\nthree",
  variables: {},
};

test("returns the lines of a changed template, and those of added and removed templates", () => {
  const before = [template, { ...template, locale: "ja" }];
  const after = [
    { ...template, text: "one\n2\nthree", variables: { name: "string" } },
    { ...template, locale: "fr" },
  ];
  const changes = catalogChanges(before, after).map(({ template: { locale }, kind, lines }) => [
    locale,
    kind,
    lines?.length,
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

test("returns the changed fields of a push", () => {
  const push = { data: { order: "1" }, link: "https://shop.example" };
  const after = [{ ...template, push: { ...push, data: { order: "2" }, ttlSeconds: 60 } }];
  expect(catalogChanges([{ ...template, push }], after)[0]?.lines).toEqual([
    ["-", "data order: 1"],
    ["+", "data order: 2"],
    ["+", "ttl_seconds: 60"],
  ]);
});

test("returns no difference between equal catalogs", () => {
  expect(catalogChanges([template], [{ ...template }])).toEqual([]);
});

const textOf = (word: string, lines: number): string =>
  Array.from({ length: lines }, (_, line) => `${word} ${line}`).join("\n");
const changesOf = (lines: number) =>
  catalogChanges([{ ...template, text: textOf("old", lines) }], [{ ...template, text: textOf("new", lines) }]);

test("returns a template's changed lines up to the limit, and only its name if there is one line more", () => {
  expect(changesOf(linesShownMax / 2)[0]?.lines).toHaveLength(linesShownMax);
  expect(changesOf(linesShownMax / 2 + 1)).toMatchObject([{ kind: "changed", lines: null }]);
});

test("does not compare 15,000 changed lines of a template pair by pair (quadratic time)", () => {
  expect(changesOf(15_000)).toMatchObject([{ kind: "changed", lines: null }]);
});

test("finds one changed line among 15,000", () => {
  const text = textOf("line", 15_000);
  const changes = catalogChanges([{ ...template, text }], [{ ...template, text: text.replace("line 7000\n", "x\n") }]);
  expect(changes[0]?.lines).toEqual([
    ["-", "text: line 7000"],
    ["+", "text: x"],
  ]);
});

test("limits the changed lines that are shown for a whole catalog", () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ ...template, key: `t${index}`, text: textOf("a", 100) }));
  const shown = catalogChanges([], many).flatMap(({ lines }) => lines ?? []);
  expect(shown.length).toBeLessThanOrEqual(linesShownMax);
  expect(catalogChanges([], many)).toHaveLength(30);
});
