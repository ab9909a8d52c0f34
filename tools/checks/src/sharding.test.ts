import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type ServiceStorage, storageProblems } from "@platform/service-kit/service/storage";
import { expect, test } from "vitest";
import { repositoryRoot } from "./source-files.ts";

const services = readdirSync(join(repositoryRoot, "apps")).filter((app) => app.endsWith("-svc"));

test.each(services)(
  "gives each collection of %s a shard key that its unique indexes begin with, or a reason",
  async (app) => {
    const path = join(repositoryRoot, "apps", app, "src/storage.ts");
    expect(existsSync(path)).toBe(true);
    const { storage } = (await import(path)) as { storage: ServiceStorage };
    expect(storageProblems(storage)).toEqual([]);
  },
);
