import { type Keyring, seal } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import type { ScheduledOperationDocument, ScheduleModels } from "./scheduled-operation-model.ts";
import { purposeOf } from "./scheduled-operations.ts";

/**
 * Replaces the secret an operation's calls are signed with, and keeps the one before it until `previousUntil`. The write names the secret it
 * replaces, so of two concurrent rotations one is refused.
 * @returns false when there is no such operation, or another rotation came first
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
        // Never the same twice, so that workers see each change of it.
        secret_rotated_at: new Date(Math.max(now.getTime(), (current.secret_rotated_at?.getTime() ?? 0) + 1)),
      },
    },
  );
  return modifiedCount === 1;
}
