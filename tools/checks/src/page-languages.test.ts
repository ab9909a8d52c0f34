import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pageLanguages } from "@platform/contracts/operator/page-languages";
import { expect, it } from "vitest";
import { repositoryRoot } from "./source-files.ts";

it("offers operators exactly the languages that identity-svc has texts in", () => {
  const files = readdirSync(join(repositoryRoot, "apps/identity-svc/src/locales"));
  const tags = files.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length));
  expect(tags.toSorted()).toEqual([...pageLanguages].toSorted());
});
