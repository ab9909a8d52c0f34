import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { readSource, repositoryRoot } from "../source-files.ts";
import { checkAlerts, checkProcessesHeard } from "./alert-rules.ts";
import { checkBackups } from "./backup-rules.ts";
import { checkFilesCapacity, checkRequests } from "./capacity-rules.ts";
import { checkCompose } from "./check-compose.ts";
import { checkEnvironment } from "./check-environment.ts";
import { checkSchema } from "./check-schema.ts";
import { checkDevStores, devStores } from "./dev-stores.ts";
import { checkMigrations } from "./migration-rules.ts";
import { checkNetworkPolicies, checkServices } from "./network-rules.ts";
import { checkConfigurationNames, checkEngines, checkNames, checkWorkloadIdentity } from "./object-rules.ts";
import { overlayParts } from "./overlay-parts.ts";
import { checkJobRules, checkPodRules, jobOf } from "./pod-rules.ts";
import { checkReach } from "./reach-rules.ts";
import { type KubernetesObject, renderer, renderOverlay } from "./render-overlay.ts";
import { checkDeploymentEnvironment, checkRoutes } from "./route-rules.ts";
import { checkScaling } from "./scaling-rules.ts";

/**
 * Renders every overlay and checks each object, the development stores and compose.yaml.
 * @returns problems, each with the overlay and the object; only those of compose.yaml if no program can render overlays
 */
export async function checkManifests(): Promise<string[]> {
  if (renderer === null) return checkCompose();
  const overlays = readdirSync(join(repositoryRoot, "k8s/overlays"));
  const problems = await Promise.all(overlays.map((name) => checkOverlay(`k8s/overlays/${name}`)));
  return [...problems.flat(), ...(await checkDevStores()), ...(await checkCompose())];
}

async function checkOverlay(folder: string): Promise<string[]> {
  let objects: KubernetesObject[];
  try {
    objects = await renderOverlay(folder);
  } catch (error) {
    return [`${folder}: ${(error as Error).message}`];
  }
  const problems = [
    ...(await checkObjects(objects)),
    ...checkPartsAlone(folder),
    ...checkDeploymentEnvironment(basename(folder), objects),
    ...checkRequests(basename(folder), [
      ...objects,
      ...(folder.endsWith("/local") ? await renderOverlay(devStores) : []),
    ]),
    ...checkOwnSettings(readSource(join(folder, "config/kustomization.yaml")), objects),
  ];
  return problems.map((problem) => `${folder}: ${problem}`);
}

/** Checks the objects of one environment together. */
export async function checkObjects(objects: readonly KubernetesObject[]): Promise<string[]> {
  const problems = [
    ...checkServices(objects),
    ...checkNetworkPolicies(objects),
    ...checkNamespaces(objects),
    ...checkMigrations(objects),
    ...checkBackups(objects),
    ...checkProcessesHeard(objects),
    ...checkWorkloadIdentity(objects),
    ...checkRoutes(objects),
  ];
  for (const object of objects) {
    const name = `${object.kind} ${object.metadata.name}`;
    const found = await checkSchema(object);
    found.push(...checkNames(object));
    if (object.kind === "PrometheusRule") found.push(...checkAlerts(object));
    if (object.kind === "Secret") found.push("secrets do not belong into the repository");
    if (object.kind === "Job")
      found.push(...checkJobRules(object), ...checkEngines(object), ...(await checkEnvironment(object, objects)));
    if (object.kind === "CronJob") {
      const job = jobOf(object);
      found.push(
        ...checkJobRules(job),
        ...checkEngines(job),
        ...(await checkEnvironment(job, objects)),
        ...checkConfigurationNames(job),
        ...checkReach(job, objects),
      );
    }
    if (object.kind === "Deployment") {
      found.push(
        ...checkPodRules(object),
        ...checkEngines(object),
        ...(await checkEnvironment(object, objects)),
        ...checkScaling(object, objects),
        ...checkFilesCapacity(object),
        ...checkConfigurationNames(object),
        ...checkReach(object, objects),
      );
    }
    problems.push(...found.map((problem) => `${name}: ${problem}`));
  }
  return problems;
}

/** Requires that every object is in the environment's own namespace, which enforces restricted pods. */
function checkNamespaces(objects: readonly KubernetesObject[]): string[] {
  const [namespace] = objects.filter(({ kind }) => kind === "Namespace");
  if (namespace === undefined) return ["has no Namespace"];
  const enforced = namespace.metadata.labels?.["pod-security.kubernetes.io/enforce"];
  return [
    ...(enforced === "restricted" ? [] : ["the Namespace does not enforce restricted pods"]),
    ...objects
      .filter(({ kind, metadata }) => kind !== "Namespace" && metadata.namespace !== namespace.metadata.name)
      .map(({ kind, metadata }) => `${kind} ${metadata.name} is not in namespace ${namespace.metadata.name}`),
  ];
}

/**
 * Requires that each part of an environment can be deployed separately: the environment consists of these folders and
 * nothing else.
 */
function checkPartsAlone(folder: string): string[] {
  const parts = overlayParts(folder);
  const whole = parse(readSource(join(folder, "kustomization.yaml"))) as Record<string, unknown>;
  const { apiVersion: _version, kind: _kind, resources, ...rest } = whole;
  return [
    ...(Object.keys(rest).length === 0
      ? []
      : [`kustomization.yaml changes its parts by ${Object.keys(rest).join(", ")}`]),
    ...((resources as string[]).toSorted().join() === parts.toSorted().join()
      ? []
      : ["kustomization.yaml does not name each folder exactly once"]),
  ];
}

/**
 * Requires that every app's configuration contains the environment's own settings. kustomize 5 reports a generator that merges before its target exists, but
 * not a generator that no file lists.
 * @param config the kustomization of the environment's settings
 */
export function checkOwnSettings(config: string, objects: readonly KubernetesObject[]): string[] {
  const { configMapGenerator = [] } = parse(config) as { configMapGenerator?: { literals: string[] }[] };
  const own = configMapGenerator.flatMap(({ literals }) => literals);
  if (own.length === 0) return ["config/kustomization.yaml has no setting of the environment's own"];
  return objects
    .filter(({ kind, metadata }) => kind === "ConfigMap" && /-platform-[a-z0-9]{10}$/.test(metadata.name))
    .flatMap(({ metadata, data = {} }) =>
      own
        .map((literal) => /^([^=]+)=(.*)$/s.exec(literal) ?? [])
        .filter(([, name = "", value]) => data[name] !== value)
        .map(
          ([, name, value]) => `ConfigMap ${metadata.name}: ${name} is not ${value}, as config/kustomization.yaml says`,
        ),
    );
}
