import { join } from "node:path";
import { repositoryRoot } from "../source-files.ts";

/** Maximum size of a file in bytes, according to the contract. */
export const fileBytesMax = 1024 * 1024 * 1024;

/** Limits of files-svc, which are read from its code. */
export const filesLimits = (await import(join(repositoryRoot, "apps/files-svc/src/domain/limits.ts"))) as {
  readonly inspectionBytesMax: number;
  readonly renderingBytesMax: number;
  readonly classificationsAtOnce: number;
};
