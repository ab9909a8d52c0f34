import { createHash } from "node:crypto";

/** One call of an operator RPC that changes something or reveals personal data. */
export type OperatorAction = {
  /** UUIDv7 of its time, so that ids sort by time. */
  readonly id: string;
  readonly at: Date;
  readonly who: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly rpc: string;
  readonly client_id: string | null;
  readonly resource: string | null;
  readonly reason: string | null;
  readonly correlation_id: string;
  readonly outcome: "started" | "succeeded" | "failed";
  /** Code of the error; `outcome_unknown` when the process ended before it could say. */
  readonly error: string | null;
  /** The request as JSON, without fields that are marked `debug_redact`. */
  readonly request_json: string;
};

/** SHA-256 over the JSON array of its fields in a fixed order, 64 hex: what its record in the chain proves. */
export function digestOf(action: OperatorAction): string {
  const { id, at, who, name, roles, rpc, client_id, resource, reason, correlation_id, outcome, error, request_json } =
    action;
  const fields = [
    "operator-action/1", id, at.toISOString(), who, name, roles, rpc, client_id, resource, reason, correlation_id, outcome, error,
    request_json,
  ]; // biome-ignore format: a list
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}
