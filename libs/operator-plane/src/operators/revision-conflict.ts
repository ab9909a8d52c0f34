import { ServiceError } from "@platform/kit/rpc/errors";

/**
 * Creates the error for a change that is based on an outdated revision.
 * @param what the resource as a noun in a sentence, such as "scheduled operation"
 * @param revision the current revision
 */
export function revisionConflict(what: string, revision: number): ServiceError {
  return new ServiceError(
    "revision_conflict",
    `Another change of this ${what} came first: it is at revision ${revision}. Read it again, then repeat.`,
    { details: { revision } },
  );
}
