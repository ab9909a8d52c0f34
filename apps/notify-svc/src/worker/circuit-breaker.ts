import type { Outcome } from "../domain/delivery.ts";

export type BreakerRule = {
  /** Failures in a row that open the breaker. */
  readonly failuresMax: number;
  /** How long it stays open the first time; each further time twice as long. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
};

/**
 * The circuit breaker of one bulkhead. It opens after failures in a row that were the provider's, and is then half-open: one delivery at a time
 * tries the provider, so that one that hangs holds one permit.
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
    // Tries that began before the breaker opened do not open it again.
    if (!this.isHalfOpen || this.isOpen(nowMs)) return;
    this.#openUntilMs = nowMs + this.#pauseMs;
    this.#pauseMs = Math.min(this.#rule.pauseMsMax, this.#pauseMs * 2);
  }
}
