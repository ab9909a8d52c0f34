import { type Keyring, seal } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import type { ScheduledOperationDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import { purposeOf } from "./scheduled-operations.ts";

/**
 * Replaces the secret that signs an operation's calls, and keeps the previous one until `previousUntil`. The write
 * requires the secret that it replaces, so one of two concurrent rotations is rejected.
 * @returns false if there is no such operation, or if another rotation was written first
 */
export async function rotateSecret(
  { operations }: ScheduleModels,
  keyring: Keyring,
  operationId: string,
  secret: string,
  { now, previousUntil }: { readonly now: Date; readonly previousUntil: Date },
): Promise<boolean> {
  const current = await operations.findOne({ _id: operationId }).lean<ScheduledOperationDocument | null>();
  if (current === null) return false;
  const { modifiedCount } = await collectionOf(operations).updateOne(
    { _id: operationId, secret_sealed: current.secret_sealed },
    {
      $set: {
        secret_sealed: seal(keyring, purposeOf(operationId), secret),
        previous_secret_sealed: current.secret_sealed,
        previous_secret_until: previousUntil,
        // The time always increases, so that workers detect each change.
        secret_rotated_at: new Date(Math.max(now.getTime(), (current.secret_rotated_at?.getTime() ?? 0) + 1)),
      },
    },
  );
  return modifiedCount === 1;
}
