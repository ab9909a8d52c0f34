import { expect, it } from "vitest";
import { contentsProblems } from "./package-contents.ts";

const file = (path: string, size = 1) => ({ path, size });

it("accepts the files of a package", () => {
  const files = ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "generated/index.js", "generated/index.d.ts"];
  expect(
    contentsProblems(
      "@platform/client",
      files.map((path) => file(path)),
    ),
  ).toEqual([]);
});

it.each(["src/client.ts", "generated/client.test.ts", ".env", "generated/index.js.map", "tsconfig.json"])(
  "reports %s in the client's package",
  (path) => {
    expect(contentsProblems("@platform/client", [file(path)])).toEqual([expect.stringContaining(path)]);
  },
);

it("accepts a package of the maximum size, and reports one byte more", () => {
  expect(contentsProblems("@platform/client", [file("README.md", 500_000)])).toEqual([]);
  expect(contentsProblems("@platform/client", [file("README.md", 500_001)])).toEqual([
    expect.stringMatching(/500001 bytes/),
  ]);
});

it("reports a package that is not published", () => {
  expect(contentsProblems("@platform/kit", [])).toEqual(["@platform/kit is not published"]);
});
