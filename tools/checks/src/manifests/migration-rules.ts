import { parseImage } from "./image-name.ts";
import { podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

const appLabel = "app.kubernetes.io/name";

/**
 * Requires that a Job of the same image, whose name contains the image's version, builds the indexes of each process
 * with a database, and that the process waits for it.
 */
export function checkMigrations(objects: readonly KubernetesObject[]): string[] {
  return objects
    .filter(({ kind }) => kind === "Deployment")
    .flatMap((deployment) => {
      const { metadata, spec } = podOf(deployment);
      const [container] = spec.containers;
      const autoIndex = container?.env?.find(({ name }) => name === "MONGODB_AUTO_INDEX")?.value;
      if (container?.env?.some(({ name }) => name === "MONGODB_URI") !== true) return [];
      const { name } = deployment.metadata;
      if (autoIndex !== "false") return [`${name} builds indexes by itself: MONGODB_AUTO_INDEX must be false`];
      const version = parseImage(container.image).tag.replaceAll(".", "-");
      const isItsJob = ({ kind, metadata: job, spec: jobSpec }: KubernetesObject): boolean =>
        kind === "Job" &&
        job.labels?.[appLabel] === metadata.labels[appLabel] &&
        job.name.endsWith(`-${version}`) &&
        jobSpec.template.spec.containers[0].image === container.image &&
        jobSpec.template.spec.containers[0].args?.join() === "src/migrate.ts";
      return objects.some(isItsJob) ? [] : [`${name} has no migration Job named by version ${version}`];
    });
}
