import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { boundOf, type InputKind, readInput } from "./inputs.ts";
import { screens } from "./screens.ts";

const folder = import.meta.dirname;
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));

/** Returns the names in the sources that a pattern's group matches. */
const namesIn = (pattern: RegExp): string[] =>
  sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
const unbounded = (kind: InputKind, names: readonly string[]): string[] =>
  names.filter((name) => boundOf(kind, name) === null);

it("finds a bound for every parameter of the path and the query that a route reads", () => {
  const routes = screens.flatMap(({ views = [], lists = [], actions = [] }) => [...views, ...lists, ...actions]);
  expect(routes.length).toBeGreaterThan(80);
  const params = routes.flatMap(({ path }) => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name));
  expect(unbounded("path", params)).toEqual([]);
  const filters = screens.flatMap(({ lists = [] }) => lists.flatMap((list) => list.filters ?? []));
  const names = [
    ...filters.map(({ name }) => name),
    ...namesIn(/\.query\("(\w+)"\)/g),
    ...namesIn(/request\.query\.(\w+)/g),
  ];
  expect(names.length).toBeGreaterThan(80);
  expect(unbounded("query", names)).toEqual([]);
});

it("finds a bound for every field of a form, under the names with which it is shown and read", () => {
  const shown = namesIn(/\bname: "([a-z_]+)",\s*label:/g);
  const read = namesIn(/\.field\("(\w+)"\)/g);
  expect([shown.length, read.length].every((count) => count > 40)).toBe(true);
  expect(unbounded("field", read)).toEqual([]);
  // A form that is sent by GET has its fields in the query.
  expect(unbounded("query", unbounded("field", shown))).toEqual([]);
});

it("rejects the reading of an input without a bound", () => {
  expect(() => readInput("query", { smuggled: "x" }, "smuggled")).toThrow("no bound is known");
  const readers = sources
    .filter(({ text }) =>
      /request\.(query|body|params|headers|get\()/.test(text.replace(/(readInput|hasInput)\([^)]*\)/g, "")),
    )
    .map(({ path }) => path);
  // These files may read inputs directly: inputs that are checked before the session is known, and the token of the
  // form itself. Each of them has its own format or bound.
  expect(readers.sort()).toEqual(["assets.ts", "create-console-app.ts", "forms.ts", "inputs.ts", "sign-in-routes.ts"]);
});
