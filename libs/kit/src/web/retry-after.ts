/**
 * Returns the wait that a Retry-After header requests (RFC 9110 §10.2.3) as seconds or a date, in milliseconds. Returns
 * null if the header is absent, unreadable or in the past.
 */
export function retryAfterMs(header: string | string[] | null | undefined, nowMs: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}
