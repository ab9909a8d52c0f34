import { join } from "node:path";
import { repositoryRoot } from "../source-files.ts";

/** Bytes a file may have, by the contract. */
export const fileBytesMax = 1024 * 1024 * 1024;

/** Limits of files-svc as its code has them. */
export const filesLimits = (await import(join(repositoryRoot, "apps/files-svc/src/domain/limits.ts"))) as {
  readonly inspectionBytesMax: number;
  readonly renderingBytesMax: number;
  readonly classificationsAtOnce: number;
};
