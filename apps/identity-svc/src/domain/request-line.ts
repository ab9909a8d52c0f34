/** One line of the request log: the result of a request. */
export type RequestLine = {
  /** Time of the response. */
  readonly at: Date;
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  /** Error code of the response; null for a success. */
  readonly code: string | null;
  readonly duration_ms: number;
  readonly credential_id: string;
  /** The IPv4 address, or the /64 of an IPv6 address, that it came from. */
  readonly network: string;
  readonly correlation_id: string;
  /** First 16 hex characters of the SHA-256 of its Idempotency-Key; null if it has no key. */
  readonly idempotency_key_hash: string | null;
  /** True if the response was that of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
};

/** A range of statuses, both ends included. */
export type StatusRange = { readonly least: number; readonly most: number };

/** Reads `404` or `4xx`; null for a text that is neither. */
export function readStatusRange(text: string): StatusRange | null {
  const [, first, rest = ""] = /^([1-5])(xx|\d\d)$/.exec(text) ?? [];
  if (first === undefined) return null;
  return rest === "xx"
    ? { least: Number(`${first}00`), most: Number(`${first}99`) }
    : { least: Number(text), most: Number(text) };
}
