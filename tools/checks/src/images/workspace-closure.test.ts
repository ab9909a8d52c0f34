import { resolve } from "node:path";
import { serviceNames } from "@platform/stack/service-names";
import { expect, test } from "vitest";
import { workspaceClosure } from "./workspace-closure.ts";

const root = resolve(import.meta.dirname, "../../../..");

test("the gateway's image holds the libraries it runs on and nothing else of the repository", () => {
  expect(workspaceClosure(root, "apps/gateway").sort()).toEqual([
    "apps/gateway",
    "libs/contracts",
    "libs/quota",
    "libs/service-kit",
    "proto",
  ]);
});

test.each(serviceNames)(
  "the image of %s-svc holds no other app, no HTTP contract, no tools and no test kit",
  (service) => {
    const app = `${service}-svc`;
    const closure = workspaceClosure(root, `apps/${app}`);
    const allowed = [`apps/${app}`, "libs/quota", "libs/service-kit", "proto"];
    expect(closure.filter((folder) => !allowed.includes(folder))).toEqual([]);
  },
);
