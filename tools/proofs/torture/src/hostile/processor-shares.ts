import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { repositoryRoot, type Stack } from "@platform/stack/stack";

/** A process of the platform and its niceness, see `nicenessOf`. */
export type ProcessorShare = { readonly name: string; readonly millicores: number; readonly niceness: number };

/**
 * Gives the platform's processes shares of a busy machine as a cluster does: in proportion to the processor time that
 * their manifests request. Without this, a process that serves only operators would get as much as the gateway.
 * @returns the shares that were set; stores and other programs keep the normal priority, that of the largest request
 */
export function applyProcessorShares(stack: Pick<Stack, "names" | "pid">): ProcessorShare[] {
  const requests = stack.names().flatMap((name) => {
    const manifest = manifestOf(name);
    return manifest === null ? [] : { name, millicores: requestOf(manifest) };
  });
  const most = Math.max(...requests.map(({ millicores }) => millicores));
  return requests.map(({ name, millicores }) => {
    const niceness = nicenessOf(millicores / most);
    // On Linux, each thread has a niceness of its own.
    const pid = stack.pid(name);
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), niceness);
    return { name, millicores, niceness };
  });
}

/**
 * Returns the niceness (sched(7)) at which a process gets a share of the processor time of a process at niceness 0.
 * Each step changes the weight by a factor of about 1.25.
 * @param share more than 0, at most 1
 */
export function nicenessOf(share: number): number {
  return Math.min(19, Math.round(Math.log(1 / share) / Math.log(1.25)));
}

/** Returns the path of the manifest of a process of the stack; null if the process does not belong to the platform. */
export function manifestOf(name: string): string | null {
  const [, app, kind = "server"] = /^(gateway|console|[a-z]+-svc)(?:-(worker|bounces))?(?:-2)?$/.exec(name) ?? [];
  return app === undefined ? null : join(repositoryRoot, "k8s/base", app, `${kind}.yaml`);
}

/** Reads the processor time that a manifest requests, in thousandths of a core. */
function requestOf(manifest: string): number {
  const [, millicores] = /requests: \{ cpu: (\d+)m,/.exec(readFileSync(manifest, "utf8")) ?? [];
  if (millicores === undefined) throw new Error(`${manifest} requests no processor time`);
  return Number(millicores);
}
