import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import generateService from "./generator.ts";

const root = join(import.meta.dirname, "../../../..");

/** Returns the files that the generator writes in this repository, by path. */
function written(options: { name: string; noun?: string; plural?: string }): Map<string, string> {
  const files = new Map<string, string>();
  generateService(
    {
      root,
      exists: () => false,
      read: (path) => readFileSync(join(root, path), "utf8"),
      write: (path, content) => void files.set(path, content),
      children: (folder) => readdirSync(join(root, folder)),
    },
    options,
  );
  return files;
}

test("begins a service with its own noun in every file", () => {
  const files = written({ name: "geography", noun: "city", plural: "cities" });
  const of = (path: string): string => files.get(`apps/geography-svc/${path}`) ?? "";
  expect(of("src/store/cities.ts")).toContain('collection: "cities"');
  expect(of("src/grpc/create-city.ts")).toContain("/** Creates a city of the calling Project Client. */");
  expect(of("src/personal-data.test.ts")).toContain("cities: {");
  expect(files.get("proto/projectintegration/geography/v1/geography_service.proto")).toContain("rpc GetCity(");
  expect(files.get("libs/contracts/src/services.ts")).toContain('owns: "cities of Project Clients"');
});

test("leaves no placeholder in a file or a path", () => {
  for (const [path, text] of written({ name: "geography" }))
    expect(`${path}\n${text}`).not.toMatch(/__[A-Za-z]+__|\bcitys\b/);
});
