import { readdirSync } from "node:fs";
import { join } from "node:path";
import { overlayParts } from "@platform/checks/manifests/overlay-parts";
import { type KubernetesObject, renderOverlay } from "@platform/checks/manifests/render-overlay";
import { type Check, createChecks } from "@platform/checks/nx/count-checks";
import type { Counts } from "@platform/checks/nx/run-ring";
import { repositoryRoot } from "@platform/stack/stack";
import { type ApiServer, startApiServer } from "./api-server.ts";
import type { Installation } from "./install.ts";

/**
 * Applies to a real API server, with the custom resource definitions: every overlay, each of its parts separately as a
 * team would, the development stores, and each pod that a Deployment, Job or CronJob would create.
 */
export async function applyManifests(programs: Installation, say: (text: string) => void): Promise<Counts> {
  const { check, counts } = createChecks(say);
  const server = await startApiServer(programs);
  try {
    const { code, stderr } = await server.kubectl(
      ["apply", "--server-side", "-f", "-"],
      programs.definitions.join("\n---\n"),
    );
    check("the definitions are accepted", code === 0, stderr);
    const established = await server.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    check("the definitions are established", established.code === 0, established.stderr);
    const overlays = readdirSync(join(repositoryRoot, "k8s/overlays")).map((name) => `overlays/${name}`);
    for (const overlay of [...overlays, "dev-stores"]) {
      const objects = await renderOverlay(`k8s/${overlay}`);
      const tally = new Map<string, [accepted: number, refused: number]>();
      for (const object of objects) {
        const applied = await apply(server, object);
        const [accepted, refused] = tally.get(object.kind) ?? [0, 0];
        tally.set(object.kind, applied.code === 0 ? [accepted + 1, refused] : [accepted, refused + 1]);
        const name = `${overlay}: ${object.kind} ${object.metadata.name}`;
        check(`${name} is accepted`, applied.code === 0 && !/^Warning/m.test(applied.stderr), applied.stderr);
        if (!["Deployment", "Job", "CronJob"].includes(object.kind)) continue;
        const pod = await apply(server, podOf(object));
        check(`${name}: its pod is admitted`, pod.code === 0, pod.stderr);
      }
      const deployment = objects.find(({ kind }) => kind === "Deployment");
      if (deployment !== undefined) await checkRefusals(server, deployment, overlay, check);
      const alone = overlay === "dev-stores" ? [] : overlayParts(`k8s/${overlay}`);
      for (const part of alone) {
        const text = (await renderOverlay(`k8s/${overlay}/${part}`))
          .map((object) => JSON.stringify(object))
          .join("\n---\n");
        const applied = await server.kubectl(["apply", "--server-side", "--validate=strict", "-f", "-"], text);
        check(
          `${overlay}/${part} is accepted alone`,
          applied.code === 0 && !/^Warning/m.test(applied.stderr),
          applied.stderr,
        );
      }
      if (alone.length > 0) say(`${overlay.padEnd(19)} ${alone.length} parts applied alone: ${alone.join(", ")}`);
      for (const [kind, [accepted, refused]] of [...tally].sort())
        say(`${overlay.padEnd(19)} ${kind.padEnd(24)} ${accepted} accepted, ${refused} refused`);
    }
  } finally {
    await server.close();
  }
  return counts;
}

/** Checks that the server really validates objects: it must reject a pod that may run as root and a misspelt field. */
async function checkRefusals(
  server: ApiServer,
  deployment: KubernetesObject,
  overlay: string,
  check: Check,
): Promise<void> {
  const pod = structuredClone(podOf(deployment));
  Object.assign(pod.metadata, { name: "runs-as-root" });
  Object.assign(pod.spec.securityContext, { runAsNonRoot: false, runAsUser: 0 });
  const root = await apply(server, pod);
  check(
    `${overlay}: a pod that may run as root is refused`,
    root.code !== 0 && /restricted/.test(root.stderr),
    root.stderr,
  );
  const misspelt = structuredClone(deployment);
  Object.assign(misspelt.metadata, { name: "misspelt" });
  Object.assign(misspelt.spec, { replicaz: 1 });
  const strict = await apply(server, misspelt);
  check(`${overlay}: a misspelt field is refused`, strict.code !== 0 && /replicaz/.test(strict.stderr), strict.stderr);
}

/** Returns the pods that the controller of a Deployment, Job or CronJob would create. */
function podOf({ metadata, spec: { jobTemplate, ...own } }: KubernetesObject): KubernetesObject {
  const spec = jobTemplate?.spec ?? own;
  const { labels } = spec.template.metadata as { labels: Record<string, string> };
  const namespace = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: metadata.name, labels, ...namespace },
    spec: spec.template.spec,
  };
}

function apply(server: ApiServer, object: KubernetesObject) {
  return server.kubectl(["apply", "--server-side", "--validate=strict", "-f", "-"], JSON.stringify(object));
}
