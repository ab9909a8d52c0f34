import { expect, it } from "vitest";
import { createCatalogFiles } from "./catalog-files.ts";

const template = { key: "a", channel: "email", locale: "en", subject: "s", text: "t", variables: {} };
const yaml = JSON.stringify({ templates: [template] });
/** The parser compares each key with all others, so this text takes minutes. */
const hostile = Array.from({ length: 200_000 }, (_, number) => `a${number}:`).join("\n");

it("returns the templates of a catalog, and the problems of a text that is none", async () => {
  const files = createCatalogFiles();
  expect(await files.read("ann", yaml)).toEqual([template]);
  await expect(files.read("ann", "templates: [")).rejects.toMatchObject({ status: 422 });
  await expect(files.read("ann", "other: 1")).rejects.toMatchObject({ status: 422 });
});

it("stops reading a catalog that takes too long, and names the command that reads it", async () => {
  await expect(createCatalogFiles(500).read("ann", hostile)).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining("platformctl catalog apply"),
  });
});

it("reads one catalog of a person and two in all at a time, and others once these have ended", async () => {
  const files = createCatalogFiles(500);
  const running = [files.read("ann", hostile), files.read("bob", hostile)];
  for (const person of ["ann", "eve"]) await expect(files.read(person, yaml)).rejects.toMatchObject({ status: 429 });
  expect((await Promise.allSettled(running)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await files.read("eve", yaml)).toEqual([template]);
});
