import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import { copyRepository, type RepositoryCopy } from "@platform/test-kit/repository-copy";
import { afterAll, beforeAll, expect, test } from "vitest";

let copy: RepositoryCopy;
beforeAll(() => {
  copy = copyRepository();
});
afterAll(() => copy.close());

const targets = "unit,service,crawl,acceptance,alone,faults,night,image,typecheck,breaking,generated,manifests";

/** Returns the tasks that `nx affected` runs after a change of one file, without the scope of their projects' names. */
function affectedBy(path: string): string[] {
  const file = join(copy.root, path);
  const before = readFileSync(file);
  const graph = join(copy.root, "node_modules/graph.json");
  try {
    appendFileSync(file, "\n");
    copy.run("nx", "affected", `--targets=${targets}`, "--base=HEAD", `--graph=${graph}`);
    const { tasks } = JSON.parse(readFileSync(graph, "utf8")) as { tasks: { tasks: Record<string, object> } };
    return Object.keys(tasks.tasks)
      .map((id) => id.replace("@platform/", ""))
      .sort();
  } finally {
    writeFileSync(file, before);
  }
}

const services = serviceNames.map((name) => `${name}-svc`);
const apps = ["console", "gateway", ...services];
const tasksOf = (projects: readonly string[], ...ofEach: string[]): string[] =>
  projects.flatMap((project) => ofEach.map((target) => `${project}:${target}`));

/** Tasks that start the whole platform or read all of its files. */
const wholePlatform = [
  ...tasksOf(["acceptance"], "crawl", "acceptance", "alone", "faults", "night"),
  ...tasksOf(["bench", "platform-local", "test-cluster", "test-engines", "torture"], "unit"),
  ...tasksOf(["checks"], "night", "service", "unit"),
  "platform:manifests",
  "platform:typecheck",
  "release:unit",
  ...tasksOf(["stack"], "faults", "night", "unit"),
  ...tasksOf(["tools"], "night", "unit"),
];

test("runs a changed service's tasks and those that start it, and nothing of another service", () => {
  const own = tasksOf(["ads-svc"], "image", "night", "service", "unit");
  expect(affectedBy("apps/ads-svc/src/domain/campaign.ts")).toEqual([...own, ...wholePlatform].sort());
});

test("runs the tests of services that start identity-svc after a change in it", () => {
  const own = tasksOf(["identity-svc"], "image", "service", "unit");
  const others = tasksOf(
    services.filter((name) => name !== "identity-svc"),
    "night",
    "service",
  );
  expect(affectedBy("apps/identity-svc/src/config.ts")).toEqual([...own, ...others, ...wholePlatform].sort());
});

test("runs every app's tasks after a change in the kit, and its own tests", () => {
  const expected = [
    ...tasksOf(apps, "image", "service", "unit"),
    ...tasksOf(["ads-svc", "events-svc", "files-svc", "gateway", "notify-svc"], "night"),
    "gateway:generated",
    ...tasksOf(["kit", "operator-plane"], "service", "unit"),
    "backup:service",
    ...tasksOf(["test-kit"], "service", "unit"),
    // The site shows the commands of platformctl.
    "docs-site:unit",
    "oidc-provider:service",
    ...tasksOf(["platformctl", "provider-sink"], "service", "unit"),
    ...wholePlatform,
  ];
  expect(affectedBy("libs/kit/src/jobs/backoff.ts")).toEqual(expected.sort());
});

test("checks the messages and runs every app's tasks after a change of a proto", () => {
  const expected = [
    ...tasksOf(["proto"], "breaking", "generated"),
    "checks:generated",
    // The operator table refers to messages, and the client library is generated from the contract.
    ...tasksOf(["client", "contracts", "sample-project"], "unit"),
    ...tasksOf(apps, "image", "service", "unit"),
    ...tasksOf(["ads-svc", "events-svc", "files-svc", "gateway", "notify-svc"], "night"),
    "gateway:generated",
    ...tasksOf(["kit", "operator-plane"], "service", "unit"),
    "backup:service",
    ...tasksOf(["test-kit"], "service", "unit"),
    // The site shows the commands of platformctl.
    "docs-site:unit",
    "oidc-provider:service",
    ...tasksOf(["platformctl", "provider-sink"], "service", "unit"),
    ...wholePlatform.filter((task) => task !== "platform:typecheck" && task !== "platform:manifests"),
  ];
  expect(affectedBy("proto/projectintegration/ads/v1/ads_service.proto")).toEqual(expected.sort());
});

/** Tasks of the repository's own rules, which read files of every kind. */
const rules = ["checks:night", "checks:service", "checks:unit", "release:unit", "tools:night"];

test.each([
  ["read manifests", "k8s/base/ads-svc/server.yaml", ["checks:generated", "platform:manifests"]],
  [
    "read the alert rules",
    "k8s/components/prometheus-operator/alerts.yaml",
    ["checks:generated", "platform:manifests", "stack:unit"],
  ],
  ["read workflows", ".github/workflows/ci.yml", ["test-cluster:unit", "test-engines:unit"]],
  ["read documents", "docs/files.md", ["docs-site:unit", "platformctl:unit"]],
  [
    "execute the release scripts",
    "tools/release/src/version-file.ts",
    ["platform:typecheck", "test-cluster:unit", "test-engines:unit", "tools:unit"],
  ],
])("runs only the tasks that %s after a change of %s", (_what, path, others) => {
  expect(affectedBy(path)).toEqual([...rules, ...others].sort());
});

test("runs every app's image after a change of the Dockerfile, and no tests of an app", () => {
  const others = ["checks:night", "checks:service", "platform:manifests", "release:unit", "tools:night"];
  const expected = [...tasksOf(apps, "image"), ...others];
  expect(affectedBy("Dockerfile")).toEqual(expected.sort());
});

test("runs the tasks of the gateway and the console after a change of the contract, and nothing of a service", () => {
  const expected = [
    // The fake platform of the client library is generated from the contract.
    "client:unit",
    ...tasksOf(["contracts", "docs-site"], "unit"),
    ...tasksOf(["platformctl"], "service", "unit"),
    "sample-project:unit",
    ...tasksOf(["console"], "image", "service", "unit"),
    ...tasksOf(["gateway"], "generated", "image", "night", "service", "unit"),
    ...wholePlatform,
  ];
  expect(affectedBy("libs/contracts/src/operations/ads.ts")).toEqual(expected.sort());
});

test("checks a changed generated document and its dependents, and nothing of a service", () => {
  const expected = [
    "client:generated",
    ...tasksOf(["gateway"], "generated", "image", "night", "service", "unit"),
    ...wholePlatform.filter((task) => task !== "platform:typecheck" && task !== "platform:manifests"),
  ];
  expect(affectedBy("apps/gateway/openapi.json")).toEqual(expected.sort());
});
