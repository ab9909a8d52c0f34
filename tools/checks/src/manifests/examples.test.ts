import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import { test as anywhere, expect } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../source-files.ts";
import { checkObjects } from "./check-manifests.ts";
import { checkSchema } from "./check-schema.ts";
import { checkReach } from "./reach-rules.ts";
import { type KubernetesObject, renderer, renderOverlay } from "./render-overlay.ts";

const test = anywhere.skipIf(renderer === null);
const examples = globSync("k8s/examples/**/kustomization.yaml", { cwd: repositoryRoot }).map((path) => dirname(path));
const kindOf = (folder: string): string =>
  (parse(readFileSync(join(repositoryRoot, folder, "kustomization.yaml"), "utf8")) as { kind: string }).kind;

/** Renders a copy of the production folder with components that a user has added. */
async function productionWith(part: string, components: readonly string[], change = (text: string) => text) {
  const root = mkdtempSync(join(tmpdir(), "examples-"));
  cpSync(join(repositoryRoot, "k8s"), root, { recursive: true });
  const folder = join(root, "overlays/production", part);
  const path = join(folder, "kustomization.yaml");
  const added = components.map((component) => `  - ../../../${component}\n`).join("");
  writeFileSync(path, readFileSync(path, "utf8").replace("components:\n", `components:\n${added}`));
  const config = join(root, "overlays/production/config/kustomization.yaml");
  writeFileSync(config, change(readFileSync(config, "utf8")));
  return { root, objects: await renderOverlay(part === "" ? join(root, "overlays/production") : folder) };
}

async function schemaProblems(objects: readonly KubernetesObject[]): Promise<string[]> {
  const problems = await Promise.all(objects.map(checkSchema));
  return objects.flatMap(({ kind, metadata }, index) =>
    (problems[index] ?? []).map((problem) => `${kind} ${metadata.name}: ${problem}`),
  );
}

test.each(examples.filter((folder) => kindOf(folder) === "Kustomization"))(
  "renders %s as objects that their schemas accept",
  async (folder) => {
    const objects = await renderOverlay(folder);
    expect(objects.length).toBeGreaterThan(0);
    expect(await schemaProblems(objects)).toEqual([]);
  },
  60_000,
);

test("refuses a misspelt field of a signature policy", async () => {
  const [policy] = structuredClone(await renderOverlay("k8s/examples/signatures"));
  if (policy === undefined) throw new Error("no policy");
  policy.spec.rules[0].verifyImages[0].atestors = [];
  expect(await schemaProblems([policy])).toEqual([expect.stringMatching(/atestors/)]);
}, 60_000);

test("contains an entry for the Secret of every app", async () => {
  const names = (await renderOverlay("k8s/examples/external-secrets"))
    .filter(({ kind }) => kind === "ExternalSecret")
    .map(({ spec }) => spec.target.name as string);
  expect(names.toSorted()).toEqual(["console", "gateway", ...serviceNames.map((name) => `${name}-svc`)].toSorted());
});

test.each(globSync("*", { cwd: join(repositoryRoot, "k8s/examples/keda") }))(
  "scales the worker of %s by the age of its queue instead of by the metrics adapter",
  async (app) => {
    const { objects } = await productionWith(app, [`examples/keda/${app}`]);
    expect(await schemaProblems(objects)).toEqual([]);
    const scaled = objects.find(({ kind }) => kind === "ScaledObject");
    expect(
      objects.some(({ kind, metadata }) => kind === "Deployment" && metadata.name === scaled?.spec.scaleTargetRef.name),
    ).toBe(true);
    expect(
      objects.filter(({ kind, metadata }) => kind === "HorizontalPodAutoscaler" && metadata.name === `${app}-worker`),
    ).toEqual([]);
    const base = readFileSync(join(repositoryRoot, `k8s/base/${app}/scaling.yaml`), "utf8");
    const metric = /metric: \{ name: (\w+) \}/.exec(base)?.[1] ?? "";
    expect(scaled?.spec.triggers[0].metadata.query).toContain(`${metric}{`);
  },
  60_000,
);

test("sends a share of the requests to the canary, whose Service selects only its own pods", async () => {
  const canary = await renderOverlay("k8s/examples/canary");
  const [service, deployment] = ["Service", "Deployment"].map((kind) => canary.find((one) => one.kind === kind));
  const { objects } = await productionWith("gateway", ["examples/canary/weights"]);
  const route = objects.find(({ kind, metadata }) => kind === "HTTPRoute" && metadata.name === "gateway");
  const weights = route?.spec.rules[0].backendRefs as { name: string; weight: number }[];
  expect(weights.map(({ name }) => name)).toEqual(["gateway", service?.metadata.name]);
  expect(weights.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
  expect(deployment?.spec.template.metadata.labels).toMatchObject(service?.spec.selector);
  const main = objects.find(({ kind, metadata }) => kind === "Service" && metadata.name === "gateway");
  expect(deployment?.spec.template.metadata.labels).not.toMatchObject(main?.spec.selector);
  expect(canary.map(({ kind }) => kind).toSorted()).toEqual(["ConfigMap", "Deployment", "Service"]);
}, 60_000);

test.each(["managed-stores", "private-stores"])(
  "lets processes reach stores outside of the cluster only with the component %s",
  async (component) => {
    const elsewhere = (text: string): string =>
      text.replace("    literals:\n", "    literals:\n      - NATS_URL=tls://nats.example.com:4222\n");
    const reach = async (components: readonly string[]): Promise<string[]> => {
      const { root } = await productionWith("platform", components, elsewhere);
      const objects = await renderOverlay(join(root, "overlays/production"));
      const worker = objects.find(({ metadata }) => metadata.name === "events-svc-worker");
      return worker === undefined ? ["no worker"] : checkReach(worker, objects);
    };
    expect(await reach([])).toEqual([expect.stringMatching(/NATS_URL .*no NetworkPolicy/)]);
    expect(await reach([`components/${component}`])).toEqual([]);
  },
  60_000,
);

test("finds no problem in a production with every component for stores and clouds", async () => {
  const names = ["managed-stores", "private-stores", "metadata-servers"];
  for (const name of names) expect(existsSync(join(repositoryRoot, "k8s/components", name))).toBe(true);
  const { root } = await productionWith(
    "platform",
    names.map((name) => `components/${name}`),
  );
  expect(await checkObjects(await renderOverlay(join(root, "overlays/production")))).toEqual([]);
}, 60_000);
