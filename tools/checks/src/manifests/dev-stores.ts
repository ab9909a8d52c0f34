import { readSource } from "../source-files.ts";
import { checkSchema } from "./check-schema.ts";
import { checkNames } from "./object-rules.ts";
import { podOf } from "./pod-rules.ts";
import { type KubernetesObject, renderOverlay } from "./render-overlay.ts";

export const devStores = "k8s/dev-stores";

/**
 * Checks the stores for development: their objects are valid, restricted and limited like all others, and clamd is the
 * same as in compose.yaml.
 */
export async function checkDevStores(): Promise<string[]> {
  const objects = await renderOverlay(devStores);
  const problems = await Promise.all(objects.map(checkStore));
  return [
    ...problems.flat(),
    ...checkRegion(objects, readSource("k8s/components/config/platform.env")),
    ...(readSource(`${devStores}/clamd.conf`) === readSource("ops/compose/clamd.conf")
      ? []
      : ["clamd.conf differs from ops/compose/clamd.conf"]),
  ].map((problem) => `${devStores}: ${problem}`);
}

/**
 * Requires the region of the platform's requests, because an object storage rejects requests that are signed for
 * another region. @param settings lines of components/config
 */
export function checkRegion(objects: readonly KubernetesObject[], settings: string): string[] {
  const region = /^S3_REGION=(.*)$/m.exec(settings)?.[1] ?? "";
  const store = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "s3");
  const args = store === undefined ? [] : (podOf(store).spec.containers[0]?.args ?? []);
  return args[args.indexOf("--region") + 1] === region
    ? []
    : [`Deployment s3: its region is not ${region}, as S3_REGION is`];
}

export async function checkStore(object: KubernetesObject): Promise<string[]> {
  const { kind, metadata } = object;
  const found = [...(await checkSchema(object)), ...checkNames(object)];
  if (kind !== "Namespace" && metadata.namespace !== "platform-stores") found.push("is not in platform-stores");
  if (kind === "Secret") found.push("secrets do not belong into the repository");
  if (kind === "Deployment") {
    const { spec } = podOf(object);
    for (const { name, image, resources, securityContext } of [...(spec.initContainers ?? []), ...spec.containers]) {
      if (!/:[^:/]+$/.test(image) || image.endsWith(":latest")) found.push(`container ${name} names no version`);
      if (resources?.limits?.memory === undefined) found.push(`container ${name} has no limit of memory`);
      if (securityContext?.readOnlyRootFilesystem !== true) found.push(`container ${name} may write to its root`);
    }
  }
  return found.map((problem) => `${kind} ${metadata.name}: ${problem}`);
}
