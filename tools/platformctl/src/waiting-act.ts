import { isServiceError } from "@platform/kit/rpc/errors";

/**
 * Returns the output for an act that waits for a second person, because the command has not failed then. * @returns null for any other error
 */
export function waitingAct(error: unknown): { readonly approval_id: unknown } | null {
  return isServiceError(error, "second_person_required") ? { approval_id: error.details.approval_id } : null;
}
