import { createHash } from "node:crypto";
import type { OperatorAction } from "./operator-actions.ts";

/**
 * Digest of an action in the chain: SHA-256 over the JSON array of its fields in a fixed order, as 64 hex characters.
 * An action without `via` keeps the form that all actions had before that field existed, so that older records keep
 * their digests.
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
  } = action;
  const fields = [
    via === null ? "operator-action/1" : "operator-action/2", id, at.toISOString(), who, name, roles, rpc, client_id, resource, reason, correlation_id, outcome, error,
    request_json, ...(via === null ? [] : [via]),
  ]; // biome-ignore format: a list
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}
