import type { Outcome } from "../domain/delivery.ts";

export type BreakerRule = {
  /** Consecutive failures that open the breaker. */
  readonly failuresMax: number;
  /** How long the breaker is open the first time; each further time is twice as long. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
};

/**
 * The circuit breaker of one bulkhead. Consecutive failures of the provider open it. When it is half-open, one delivery
 * at a time probes the provider, so that a hanging provider uses only one permit.
 */
export class CircuitBreaker {
  readonly #rule: BreakerRule;
  #failures = 0;
  #openUntilMs = 0;
  #pauseMs: number;

  constructor(rule: BreakerRule) {
    this.#rule = rule;
    this.#pauseMs = rule.pauseMs;
  }

  isOpen(nowMs: number): boolean {
    return this.#openUntilMs > nowMs;
  }

  get isHalfOpen(): boolean {
    return this.#failures >= this.#rule.failuresMax;
  }

  get isWell(): boolean {
    return this.#failures === 0;
  }

  record(outcome: Outcome, nowMs: number): void {
    if (outcome.kind !== "retry") {
      this.#failures = 0;
      this.#openUntilMs = 0;
      this.#pauseMs = this.#rule.pauseMs;
      return;
    }
    if (!outcome.isProviderWide) return;
    this.#failures += 1;
    // A failure of an attempt that began before the breaker opened does not open it again.
    if (!this.isHalfOpen || this.isOpen(nowMs)) return;
    this.#openUntilMs = nowMs + this.#pauseMs;
    this.#pauseMs = Math.min(this.#rule.pauseMsMax, this.#pauseMs * 2);
  }
}
