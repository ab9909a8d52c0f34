import type { FileObjectStore } from "../store/file-objects.ts";
import type { OwedWorkStore } from "../store/owed-work.ts";

/** Expires grants whose time has passed and gives their reservation back. */
export async function expireUploadGrants(
  files: FileObjectStore,
  owedWork: OwedWorkStore,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const expired = await files.expireNextGrant();
    if (expired === null) return;
    await owedWork.pay(expired.projectClientId, expired.id);
  }
}
