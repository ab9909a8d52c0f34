import type { Sweep } from "@platform/kit/jobs/work";
import type { FileObjectStore } from "../store/file-objects.ts";

/** Expires upload grants that were not used in time. */
export function expireUploadGrants(files: FileObjectStore, sweep: Sweep, signal: AbortSignal): Promise<void> {
  return sweep.run({ find: files.listExpiredGrants, idOf: ({ id }) => id, work: files.expireGrant, signal });
}
