import { globSync } from "node:fs";
import { join } from "node:path";
import { readSource, repositoryRoot } from "@platform/checks/source-files";
import { expect, test } from "vitest";
import { storeImages } from "./stand-ins.ts";

const folder = "k8s/dev-stores";

test("provides a stand-in for every image that the development stores name", () => {
  const named = globSync("**/*.yaml", { cwd: join(repositoryRoot, folder) }).flatMap((file) =>
    [...readSource(`${folder}/${file}`).matchAll(/\bimage: *"?([^\s"}]+)/g)].map(([, image = ""]) => image),
  );
  const references = named.map((image) => `docker.io/${image.includes("/") ? "" : "library/"}${image}`);
  expect(references.length).toBeGreaterThan(5);
  expect(storeImages.map(({ reference }) => reference)).toEqual(expect.arrayContaining(references));
});
