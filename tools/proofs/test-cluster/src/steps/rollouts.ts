import type { Check } from "@platform/checks/nx/count-checks";
import { eventually } from "@platform/test-kit/eventually";
import { deploymentsIn, isRolledOut, jobsIn, list, podsIn } from "../cluster/api.ts";
import type { Cluster } from "../cluster/control-plane.ts";
import { renderHere, storyOf } from "../environment/environment.ts";
import { nextVersion } from "../machine/images.ts";
import type { Load } from "./load.ts";

type Report = { readonly check: Check; readonly say: (text: string) => void };

/**
 * Restarts every Deployment of a namespace in turn, and waits until its last old pod is gone. No request may fail
 * meanwhile.
 */
export async function rollEach(cluster: Cluster, namespace: string, load: Load, { check, say }: Report): Promise<void> {
  for (const { metadata } of await list(cluster, deploymentsIn(namespace))) {
    const startedAtMs = performance.now();
    load.take();
    await cluster.kubectl(["-n", namespace, "rollout", "restart", `deployment/${metadata.name}`]);
    await untilRolled(cluster, namespace, metadata.name);
    reportTally(`rollout of ${metadata.name}`, startedAtMs, load, { check, say });
  }
}

/** Applies the next version of a single service, as its team would, including the migration of that version. */
export async function deployAlone(
  cluster: Cluster,
  { overlay, app }: { readonly overlay: string; readonly app: string },
  load: Load,
  { check, say }: Report,
): Promise<void> {
  const namespace = `platform-${overlay}`;
  const imagesOf = async (): Promise<Map<string, string>> =>
    new Map(
      (await list(cluster, podsIn(namespace)))
        .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === "Running")
        .map(({ metadata, spec }) => [metadata.uid, spec.containers[0].image as string]),
    );
  const before = await imagesOf();
  const startedAtMs = performance.now();
  load.take();
  const text = JSON.stringify(await renderHere(`k8s/overlays/${overlay}/${app}`))
    .replaceAll(`/${app}:0.1.0`, `/${app}:${nextVersion}`)
    .replaceAll(`${app}-migrate-0-1-0`, `${app}-migrate-${nextVersion.replaceAll(".", "-")}`);
  await cluster.apply(JSON.parse(text));
  await untilRolled(cluster, namespace, app);
  reportTally(`${app} alone in version ${nextVersion}`, startedAtMs, load, { check, say });
  const after = await imagesOf();
  const changed = [...after].filter(([uid]) => !before.has(uid)).map(([, image]) => image);
  const isAlone = changed.length > 0 && changed.every((image) => image.endsWith(`/${app}:${nextVersion}`));
  check(`only ${app} has new pods`, isAlone, changed.join());
  const job = (await list(cluster, jobsIn(namespace))).find(({ metadata }) =>
    metadata.name.includes(nextVersion.replaceAll(".", "-")),
  );
  check(
    `the migration of ${app} ${nextVersion} has succeeded`,
    job?.status.succeeded === 1,
    JSON.stringify(job?.status),
  );
}

/**
 * Ends every process of the platform on the node at the same moment, as a crash of its runtime would, and waits until
 * all serve again.
 */
export async function killPods(cluster: Cluster, namespace: string, { check, say }: Report): Promise<void> {
  const pods = await list(cluster, podsIn(namespace));
  const startedAtMs = performance.now();
  await cluster.kubectl(["-n", namespace, "delete", "pods", "--all", "--grace-period=0", "--force", "--wait=false"]);
  for (const { metadata } of await list(cluster, deploymentsIn(namespace)))
    await untilRolled(cluster, namespace, metadata.name);
  say(`${pods.length} pods killed: all ready again after ${secondsSince(startedAtMs)} s`);
  const old = new Set(pods.map(({ metadata }) => metadata.uid));
  const left = (await list(cluster, podsIn(namespace))).filter(({ metadata }) => old.has(metadata.uid));
  check("every killed pod is replaced", left.length === 0, left.map(({ metadata }) => metadata.name).join());
}

async function untilRolled(cluster: Cluster, namespace: string, name: string): Promise<void> {
  await eventually(
    async () => {
      const deployment = (await list(cluster, deploymentsIn(namespace))).find(({ metadata }) => metadata.name === name);
      if (deployment === undefined || !isRolledOut(deployment)) return false;
      const labels = Object.entries(deployment.spec.selector.matchLabels as Record<string, string>);
      const pods = (await list(cluster, podsIn(namespace))).filter(({ metadata }) =>
        labels.every(([key, value]) => metadata.labels?.[key] === value),
      );
      return pods.every(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
    { timeoutMs: 300_000, everyMs: 500, what: `${name} is rolled out` },
  ).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${await storyOf(cluster, namespace)}`);
  });
}

function reportTally(what: string, startedAtMs: number, load: Load, { check, say }: Report): void {
  const { requests, failures } = load.take();
  say(
    `${what.padEnd(36)} ${secondsSince(startedAtMs).padStart(5)} s  ${String(requests).padStart(5)} requests  ${failures.length} failed`,
  );
  check(`no request fails during the ${what}`, failures.length === 0 && requests > 0, failures.slice(0, 5).join("\n"));
}

const secondsSince = (startedAtMs: number): string => ((performance.now() - startedAtMs) / 1_000).toFixed(1);
