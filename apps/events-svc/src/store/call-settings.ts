import { type Keyring, seal } from "@platform/kit/process/secrets";
import { absent, collectionOf } from "@platform/kit/store/documents";
import { revisionConflict } from "@platform/operator-plane/operators";
import type { CallHeaders } from "../domain/call-headers.ts";
import type { ScheduledOperation } from "../domain/scheduled-operation.ts";
import {
  type ScheduledOperationDocument,
  type ScheduleModels,
  toScheduledOperation,
} from "./scheduled-operation-model.ts";
import { findOperation } from "./scheduled-operations.ts";

/** Purpose under which the headers of an operation are encrypted. */
export const headersPurposeOf = (operationId: string): string => `scheduled-operation-headers:${operationId}`;

/** Replaces all headers of an operation's calls. Calls that were claimed before still use the previous headers. */
export function setHeaders(
  models: ScheduleModels,
  keyring: Keyring,
  id: string,
  headers: CallHeaders,
  revision: number | undefined,
): Promise<ScheduledOperation | null> {
  if (headers.length === 0) return change(models, id, { $unset: { headers_sealed: "", header_names: "" } }, revision);
  const sealed = seal(keyring, headersPurposeOf(id), JSON.stringify(headers));
  const names = headers.map(([name]) => name);
  return change(models, id, { $set: { headers_sealed: sealed, header_names: names } }, revision);
}

/** Sets the maximum number of calls per second; null removes the limit. */
export function setRate(
  models: ScheduleModels,
  id: string,
  perSecond: number | null,
  revision: number | undefined,
): Promise<ScheduledOperation | null> {
  const update: CallsUpdate = perSecond === null ? { $unset: { per_second: "" } } : { $set: { per_second: perSecond } };
  return change(models, id, update, revision);
}

type CallsUpdate = {
  readonly $set?: Partial<Pick<ScheduledOperationDocument, "headers_sealed" | "header_names" | "per_second">>;
  readonly $unset?: Readonly<Record<string, "">>;
};

/**
 * Changes an operation.
 * @param revision the revision on which the change is based; without it, any revision is replaced
 */
async function change(
  models: ScheduleModels,
  id: string,
  { $set = {}, $unset = {} }: CallsUpdate,
  revision: number | undefined,
): Promise<ScheduledOperation | null> {
  const operation = await findOperation(models, id);
  if (operation === null) return null;
  const present = operation.revision;
  if (revision !== undefined && revision !== present) throw revisionConflict("scheduled operation", present);
  const changed = await collectionOf(models.operations).findOneAndUpdate(
    { _id: id, revision: present === 0 ? absent : present },
    { $set: { ...$set, revision: present + 1 }, ...(Object.keys($unset).length === 0 ? {} : { $unset }) },
    { returnDocument: "after" },
  );
  // It is null if another change was written first, so the change is decided again with the new state.
  if (changed === null) return change(models, id, { $set, $unset }, revision);
  return toScheduledOperation(changed as ScheduledOperationDocument);
}
