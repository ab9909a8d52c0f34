import { Queue } from "../store/queue.ts";

export type AcceptedRequest = { requestId: string; sentMessages: { id: string; quoteToken: string }[] };

const validMs = 24 * 60 * 60 * 1000;
const keysMax = 1_000_000;

/** Retry keys of accepted requests; a repeated key is rejected for 24 hours. */
export class RetryKeys {
  readonly #accepted = new Map<string, AcceptedRequest & { acceptedAtMs: number }>();
  readonly #order = new Queue<string>();

  find(retryKey: string, nowMs = performance.now()): AcceptedRequest | null {
    const accepted = this.#accepted.get(retryKey);
    return accepted && nowMs - accepted.acceptedAtMs < validMs ? accepted : null;
  }

  claim(retryKey: string, request: AcceptedRequest, nowMs = performance.now()): void {
    if (!this.#accepted.has(retryKey)) this.#order.push(retryKey);
    this.#accepted.set(retryKey, { ...request, acceptedAtMs: nowMs });
    const oldest = this.#order.size > keysMax ? this.#order.shift() : undefined;
    if (oldest !== undefined) this.#accepted.delete(oldest);
  }
}
