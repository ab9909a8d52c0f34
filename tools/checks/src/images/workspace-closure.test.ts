import { resolve } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import { expect, test } from "vitest";
import { workspaceClosure } from "./workspace-closure.ts";

const root = resolve(import.meta.dirname, "../../../..");

test("puts only the libraries that the gateway runs on into its image", () => {
  expect(workspaceClosure(root, "apps/gateway").sort()).toEqual([
    "apps/gateway",
    "libs/contracts",
    "libs/kit",
    "libs/operator-plane",
    "libs/quota",
    "proto",
  ]);
});

test.each(serviceNames)("puts no other app, HTTP contract, tools or test kit into the image of %s-svc", (service) => {
  const app = `${service}-svc`;
  const closure = workspaceClosure(root, `apps/${app}`);
  const allowed = [`apps/${app}`, "libs/backup", "libs/kit", "libs/operator-plane", "libs/quota", "proto"];
  expect(closure.filter((folder) => !allowed.includes(folder))).toEqual([]);
});
