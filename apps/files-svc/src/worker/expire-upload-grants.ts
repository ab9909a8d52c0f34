import type { CompensationStore } from "../store/compensations.ts";
import type { FileObjectStore } from "../store/file-objects.ts";

/** Expires grants whose time has passed and gives their reservation back. */
export async function expireUploadGrants(
  files: FileObjectStore,
  compensations: CompensationStore,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const expired = await files.expireNextGrant();
    if (expired === null) return;
    await compensations.pay(expired.projectClientId, expired.id);
  }
}
