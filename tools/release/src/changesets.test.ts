import { join } from "node:path";
import { expect, test } from "vitest";
import { changesetsIn } from "./changesets.ts";
import { releasedPackages } from "./packages.ts";

const root = join(import.meta.dirname, "../../..");

test("finds exactly one released package in each changeset of this repository, so that every team releases alone", () => {
  const released = new Set(releasedPackages(root).map(({ packageName }) => packageName));
  const wrong = changesetsIn(root).filter(
    ({ packages: [name = "", second] }) => second !== undefined || !released.has(name),
  );
  expect(wrong).toEqual([]);
});
