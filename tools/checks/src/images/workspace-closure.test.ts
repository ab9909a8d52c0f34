import { resolve } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import { expect, test } from "vitest";
import { packagesInImage, workspaceClosure } from "./workspace-closure.ts";

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
  const allowed = [`apps/${app}`, "libs/kit", "libs/operator-plane", "libs/quota", "proto"];
  expect(closure.filter((folder) => !allowed.includes(folder))).toEqual([]);
});

const services = serviceNames.map((service) => `${service}-svc`);
const ofSdk = (folders: readonly string[]): string[] =>
  [...packagesInImage(root, folders)].filter((name) => /^@(aws-sdk|smithy)\//.test(name));

test.each(["gateway", "console", ...services.filter((app) => app !== "files-svc")])(
  "leaves the SDK of S3 out of the image of %s, which reaches no bucket",
  (app) => {
    expect(packagesInImage(root, [`apps/${app}`])).toContain("zod");
    expect(ofSdk([`apps/${app}`])).toEqual([]);
  },
);

test.each([
  ["files-svc", ["apps/files-svc"]],
  ...services.map((app): [string, string[]] => [`${app}-backup`, [`apps/${app}`, "libs/backup"]]),
])("puts the SDK of S3 into the image %s", (_name, folders) => {
  expect(ofSdk(folders)).toContain("@aws-sdk/client-s3");
});
