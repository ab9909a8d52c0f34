import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openStorage, type ServiceStorage, storageProblems } from "@platform/kit/service/storage";
import { offlineConnection } from "@platform/kit/store/schema";
import { expect, test } from "vitest";
import { repositoryRoot } from "./source-files.ts";

const services = readdirSync(join(repositoryRoot, "apps")).filter((app) => app.endsWith("-svc"));

test.each(services)(
  "has for each collection of %s a shard key that its unique indexes begin with, or a reason",
  async (app) => {
    const path = join(repositoryRoot, "apps", app, "src/storage.ts");
    expect(existsSync(path)).toBe(true);
    const { storage } = (await import(path)) as { storage: ServiceStorage };
    expect(storageProblems(storage)).toEqual([]);
  },
);

test.each(services)("keeps the collections that every service has for operators in %s", async (app) => {
  const { storage } = (await import(join(repositoryRoot, "apps", app, "src/storage.ts"))) as {
    storage: ServiceStorage;
  };
  const connection = offlineConnection();
  openStorage(storage, connection, { current: new Uint8Array(32), previous: [] });
  expect(Object.values(connection.models).map(({ collection }) => collection.collectionName)).toContain(
    "operator_actions",
  );
});
