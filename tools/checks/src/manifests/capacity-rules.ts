import { serviceNames } from "@platform/contracts/services";
import { fileBytesMax, filesLimits } from "./files-limits.ts";
import { podOf, startsBoth } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

const mebibyte = 1024 * 1024;
/** Memory of files-svc without uploads and without child processes. */
const processBytes = 256 * mebibyte;
const uploadBytesDefault = 256 * mebibyte;
const inspectorsDefault = 2;

/**
 * Requires that the maximum memory of files-svc is within the limits of its pods. Otherwise the kernel would kill a pod
 * with all its uploads.
 */
export function checkFilesCapacity(deployment: KubernetesObject): string[] {
  const { metadata, spec } = podOf(deployment);
  const container = spec.containers[0];
  if (metadata.labels["app.kubernetes.io/name"] !== "files-svc" || container === undefined) return [];
  const setting = (name: string, fallback: number): number =>
    Number(container.env?.find((variable) => variable.name === name)?.value ?? fallback);
  const isServer = metadata.labels["app.kubernetes.io/component"] === "server";
  const isWorker = !isServer || startsBoth(container.args);
  const childBytes =
    setting("INSPECTORS", inspectorsDefault) *
    ((isServer ? filesLimits.renderingBytesMax : 0) + (isWorker ? filesLimits.inspectionBytesMax : 0));
  const uploadBytes = isServer ? setting("UPLOAD_BYTES_IN_FLIGHT_MAX", uploadBytesDefault) : 0;
  const needed = processBytes + uploadBytes + childBytes;
  const limit = bytesOf(container.resources?.limits?.memory);
  const workDirectory = container.env?.find(({ name }) => name === "WORK_DIRECTORY")?.value;
  const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === workDirectory);
  const disk = bytesOf(spec.volumes?.find(({ name }) => name === mount?.name)?.emptyDir?.sizeLimit);
  const neededDisk = filesLimits.classificationsAtOnce * fileBytesMax;
  return [
    ...(limit >= needed ? [] : [`its memory limit must be at least ${needed / mebibyte}Mi`]),
    ...(disk >= neededDisk ? [] : [`WORK_DIRECTORY must be a volume of at least ${neededDisk / mebibyte}Mi`]),
  ];
}

/** Resources that an environment may request, in thousandths of a CPU and in bytes. */
export type RequestsMax = { readonly cpuMillis: number; readonly memoryBytes: number };

/** The resources of an environment per service. With five services, the sums are 1.5 CPUs and 8 GiB for `local`, and 1 CPU and 2 GiB for `small`. */
const requestsOfService: Readonly<Record<string, RequestsMax>> = {
  // A machine with two cores runs the environment together with the cluster's own pods.
  local: { cpuMillis: 300, memoryBytes: (8_192 / 5) * mebibyte },
  small: { cpuMillis: 200, memoryBytes: (2_048 / 5) * mebibyte },
};

/**
 * Requires that an environment for a small machine fits it: the sum of the requests of its Deployments and migrations
 * is bounded.
 * @param environment folder below k8s/overlays; one that is not listed has no bound
 * @param objects objects of the environment, and of the stores that run on the same machine
 * @param services number of services of the platform
 */
export function checkRequests(
  environment: string,
  objects: readonly KubernetesObject[],
  services = serviceNames.length,
): string[] {
  const each = requestsOfService[environment];
  if (each === undefined) return [];
  const max = { cpuMillis: each.cpuMillis * services, memoryBytes: each.memoryBytes * services };
  const requests = objects
    .filter(({ kind }) => kind === "Deployment" || kind === "Job")
    .flatMap((object) => {
      const pods: number = object.spec.replicas ?? 1;
      return podOf(object).spec.containers.map(({ resources }) => ({
        cpuMillis: pods * millisOf(resources?.requests?.cpu),
        memoryBytes: pods * bytesOf(resources?.requests?.memory),
      }));
    });
  const sum = (name: keyof RequestsMax): number => requests.reduce((total, one) => total + one[name], 0);
  return [
    ...(sum("cpuMillis") <= max.cpuMillis ? [] : [`requests ${sum("cpuMillis")}m CPU, more than ${max.cpuMillis}m`]),
    ...(sum("memoryBytes") <= max.memoryBytes
      ? []
      : [`requests ${sum("memoryBytes") / mebibyte}Mi of memory, more than ${max.memoryBytes / mebibyte}Mi`]),
  ];
}

/** Converts a quantity such as 250m or 2 to thousandths of a CPU. */
function millisOf(quantity = "0"): number {
  return quantity.endsWith("m") ? Number(quantity.slice(0, -1)) : Number(quantity) * 1_000;
}

const units: Readonly<Record<string, number>> = { Mi: mebibyte, Gi: 1024 * mebibyte };

/** Converts a quantity in Mi or Gi to bytes. Returns 0 for any other unit. */
function bytesOf(quantity = ""): number {
  const [, number = "0", unit = ""] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(number) * (units[unit] ?? 0);
}
