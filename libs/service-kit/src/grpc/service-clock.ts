import { randomUUID } from "node:crypto";

/**
 * Deadlines by the service's own monotonic clock. The remaining time of a deadline is wrong once a call has waited unread, in the kernel or in a
 * stopped process. So a service sends its clock to its callers, and they express deadlines in it. A reading is older when it arrives, so an expressed
 * deadline is never later than the true one. The clock never goes back and continues while the process is stopped.
 */
const ownId = randomUUID();
export const clockKey = "platform-clock";
export const expiryKey = "platform-expiry";

export const clockNowMs = (): number => performance.now();

/** What a service sends at the start of a stream: its id and its clock. */
export const clockText = (): string => `${ownId} ${clockNowMs()}`;

/** Milliseconds left of a deadline by this process's clock; null when it is of another process, or none. */
export function leftOfExpiry(text: string | undefined): number | null {
  const [id, atMs] = (text ?? "").split(" ");
  return id === ownId && Number.isFinite(Number(atMs)) ? Number(atMs) - clockNowMs() : null;
}

/** A service's clock as known by its caller. */
export class ServiceClock {
  readonly #id: string;
  /** Offset from the own clock to the service's, by the reading with the shortest travel time. */
  #offsetMs: number;

  private constructor(id: string, clockMs: number) {
    this.#id = id;
    this.#offsetMs = clockMs - clockNowMs();
  }

  /** Null for a service that does not send its clock. */
  static from(text: string | undefined): ServiceClock | null {
    const [id = "", clockMs] = (text ?? "").split(" ");
    return Number.isFinite(Number(clockMs)) ? new ServiceClock(id, Number(clockMs)) : null;
  }

  heard(clockMs: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, clockMs - clockNowMs());
  }

  /** Its present time, or a little less. */
  nowMs(): number {
    return clockNowMs() + this.#offsetMs;
  }

  /** A deadline (epoch milliseconds) by the service's clock. */
  expiryText(deadlineMs: number): string {
    return `${this.#id} ${this.nowMs() + deadlineMs - Date.now()}`;
  }
}
