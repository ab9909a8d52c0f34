import { createHash } from "node:crypto";
import type { OperatorAction } from "./operator-actions.ts";

/**
 * Returns the digest of an action in the hash chain: SHA-256 over the JSON array of its fields in a fixed order, 64 hex
 * characters. The fields `asked_by` and `via` were added later. An action without them is digested in the earlier form,
 * so that older records keep their digests.
 */
export function digestOf(action: OperatorAction): string {
  const {
    id,
    at,
    who,
    name,
    roles,
    rpc,
    client_id,
    resource,
    reason,
    correlation_id,
    outcome,
    error,
    request_json,
    via,
    asked_by,
  } = action;
  const form = asked_by === null ? (via === null ? 1 : 2) : 3;
  const fields = [
    `operator-action/${form}`, id, at.toISOString(), who, name, roles, rpc, client_id, resource, reason, correlation_id, outcome, error,
    request_json, ...(form === 1 ? [] : [via]), ...(form === 3 ? [asked_by] : []),
  ]; // biome-ignore format: a list
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}
