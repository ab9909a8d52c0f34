import { readSource } from "../source-files.ts";
import { checkSchema } from "./check-schema.ts";
import { checkNames } from "./object-rules.ts";
import { podOf } from "./pod-rules.ts";
import { type KubernetesObject, renderOverlay } from "./render-overlay.ts";

export const devStores = "k8s/dev-stores";

/** Judges the stores for development: valid, restricted and limited like everything else, with the same clamd as compose.yaml. */
export async function checkDevStores(): Promise<string[]> {
  const objects = await renderOverlay(devStores);
  const problems = await Promise.all(objects.map(checkStore));
  return [
    ...problems.flat(),
    ...(readSource(`${devStores}/clamd.conf`) === readSource("ops/compose/clamd.conf")
      ? []
      : ["clamd.conf differs from ops/compose/clamd.conf"]),
  ].map((problem) => `${devStores}: ${problem}`);
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
