import { readFileSync } from "node:fs";
import { request } from "node:https";
import type { Cluster } from "./control-plane.ts";

/** An object as the API server returns it, with its status. */
export type Live = {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly creationTimestamp: string;
    readonly generation: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: these differ by kind
  readonly spec: any;
  // biome-ignore lint/suspicious/noExplicitAny: these differ by kind
  readonly status: any;
};

/**
 * Lists objects without starting kubectl, which uses half a second of CPU time per call. @param path such as
 * `/api/v1/namespaces/default/pods`
 */
export async function list({ kubeconfig }: Pick<Cluster, "kubeconfig">, path: string): Promise<Live[]> {
  const config = JSON.parse(readFileSync(kubeconfig, "utf8"));
  const url = `${config.clusters[0].cluster.server}${path}`;
  const headers = { authorization: `Bearer ${config.users[0].user.token}` };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(url, { headers, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    });
    sent.on("error", reject);
    sent.end();
  });
  const { items, message } = JSON.parse(text) as { items?: Live[]; message?: string };
  if (items === undefined) throw new Error(`${path}: ${message}`);
  return items;
}

export const deploymentsIn = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;
export const podsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
export const jobsIn = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;

/** True if exactly the pods that the Deployment requires are running, and none of an earlier version is left. */
export function isRolledOut({ metadata, spec, status }: Live): boolean {
  const wanted = spec.replicas ?? 1;
  return (
    status.observedGeneration >= metadata.generation &&
    status.updatedReplicas === wanted &&
    status.replicas === wanted &&
    status.availableReplicas === wanted
  );
}
