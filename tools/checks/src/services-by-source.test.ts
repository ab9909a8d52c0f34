import { readFileSync } from "node:fs";
import { type ServiceName, serviceNames, servicesThat } from "@platform/contracts/services";
import { expect, test } from "vitest";

/** Returns the text of a file in the `src/` of a service. */
const sourceOf = (name: ServiceName, path: string): string =>
  readFileSync(new URL(`../../../apps/${name}-svc/src/${path}`, import.meta.url), "utf8");

test.each([
  ["retention", " retentionAdmin("],
  ["usage", " usageAdmin("],
] as const)("lists exactly the services that serve %s", (part, call) => {
  const serving = serviceNames.filter((name) => sourceOf(name, "grpc/services.ts").includes(call));
  expect(servicesThat(part)).toEqual(serving);
});

test.each(serviceNames.filter((name) => name !== "identity"))("erases data in the worker of %s", (name) => {
  expect(sourceOf(name, `create-${name}-worker.ts`)).toContain(`service: "${name}"`);
});
