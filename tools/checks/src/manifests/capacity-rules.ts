import { fileBytesMax, filesLimits } from "./files-limits.ts";
import { podOf } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

const mebibyte = 1024 * 1024;
/** A process of files-svc without uploads and without children. */
const processBytes = 256 * mebibyte;
const uploadBytesDefault = 256 * mebibyte;
const inspectorsDefault = 2;

/** What files-svc may use at most is within its pods' limits: the kernel would otherwise end a pod with every upload in it. */
export function checkFilesCapacity(deployment: KubernetesObject): string[] {
  const { metadata, spec } = podOf(deployment);
  const container = spec.containers[0];
  if (metadata.labels["app.kubernetes.io/name"] !== "files-svc" || container === undefined) return [];
  const setting = (name: string, fallback: number): number =>
    Number(container.env?.find((variable) => variable.name === name)?.value ?? fallback);
  const isServer = metadata.labels["app.kubernetes.io/component"] === "server";
  const childBytes =
    setting("INSPECTORS", inspectorsDefault) *
    (isServer ? filesLimits.renderingBytesMax : filesLimits.inspectionBytesMax);
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

const units: Readonly<Record<string, number>> = { Mi: mebibyte, Gi: 1024 * mebibyte };

/** Bytes of a quantity in Mi or Gi; 0 for any other. */
function bytesOf(quantity = ""): number {
  const [, number = "0", unit = ""] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(number) * (units[unit] ?? 0);
}
