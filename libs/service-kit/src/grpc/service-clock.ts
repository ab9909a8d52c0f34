import { randomUUID } from "node:crypto";

/**
 * Deadlines as times of the service's own clock. What is left of a deadline says nothing once the call has lain unread, in the kernel or in
 * a process that was stopped; so a service tells its callers what its clock says, and they name the deadline in its terms. What it said
 * is older by the time it is heard, so the deadline they name is never later than the true one. The clock does not go back, and
 * goes on while the process is stopped.
 */
const ownId = randomUUID();
export const clockKey = "platform-clock";
export const expiryKey = "platform-expiry";

export const clockNowMs = (): number => performance.now();

/** What a service tells as a stream begins: who it is and what its clock says. */
export const clockText = (): string => `${ownId} ${clockNowMs()}`;

/** Milliseconds that are left of a deadline of this process's clock; null when it is of another's, or none. */
export function leftOfExpiry(text: string | undefined): number | null {
  const [id, atMs] = (text ?? "").split(" ");
  return id === ownId && Number.isFinite(Number(atMs)) ? Number(atMs) - clockNowMs() : null;
}

/** The clock of a service, as its caller knows it. */
export class ServiceClock {
  readonly #id: string;
  /** From the own clock to the service's: of all that was heard, what had been on its way for the shortest time. */
  #offsetMs: number;

  private constructor(id: string, clockMs: number) {
    this.#id = id;
    this.#offsetMs = clockMs - clockNowMs();
  }

  /** Null for a service that does not tell. */
  static from(text: string | undefined): ServiceClock | null {
    const [id = "", clockMs] = (text ?? "").split(" ");
    return Number.isFinite(Number(clockMs)) ? new ServiceClock(id, Number(clockMs)) : null;
  }

  heard(clockMs: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, clockMs - clockNowMs());
  }

  /** What it says now, or a little less. */
  nowMs(): number {
    return clockNowMs() + this.#offsetMs;
  }

  /** A deadline (epoch milliseconds) in the service's terms. */
  expiryText(deadlineMs: number): string {
    return `${this.#id} ${this.nowMs() + deadlineMs - Date.now()}`;
  }
}
