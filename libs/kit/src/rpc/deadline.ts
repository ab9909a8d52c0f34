import { randomUUID } from "node:crypto";

/**
 * Milliseconds by which each hop shortens the deadline, so that it responds before its caller gives up
 * (letsencrypt/boulder:grpc/interceptors.go).
 */
export const hopReserveMs = 20;

/**
 * Returns epoch milliseconds by a clock that is set once, at the start of the process, and never jumps. Deadlines and
 * waits use this clock. If the machine's clock were set back by a minute, a deadline by that clock would be a minute
 * later, and a wait would take a minute longer.
 */
export const steadyNowMs = (): number => performance.timeOrigin + performance.now();

/** Converts a time of the steady clock to the wall clock, which grpc-js uses. */
export const toMachineClock = (steadyMs: number): number => Date.now() + (steadyMs - steadyNowMs());

/** Converts a time of the wall clock, such as a deadline of grpc-js, to the steady clock. */
export const fromMachineClock = (machineMs: number): number => steadyNowMs() + (machineMs - Date.now());

/**
 * Returns the deadline for the next hop (epoch milliseconds of `steadyNowMs`), which is shorter by this hop's reserve.
 */
export function nextHopDeadline(deadlineMs: number): number {
  return deadlineMs - hopReserveMs;
}

/** Returns a signal that aborts when the deadline (epoch milliseconds of `steadyNowMs`) passes or the parent aborts. */
export function deadlineSignal(deadlineMs: number, parent?: AbortSignal): AbortSignal {
  // A timeout must be a whole number of milliseconds, but this clock has fractions.
  const leftMs = Math.ceil(deadlineMs - steadyNowMs());
  const timeout = AbortSignal.timeout(Math.max(1, Math.min(leftMs, 2 ** 31 - 1)));
  return parent === undefined ? timeout : AbortSignal.any([timeout, parent]);
}

/**
 * Deadlines by the service's own monotonic clock. A call may wait unread in the kernel or while the process is stopped,
 * and its remaining time is wrong afterwards. A service therefore sends its clock to its callers, and they express
 * deadlines in it. A reading of the clock is older by the time it arrives, so a deadline expressed in it is never later
 * than the true one. The clock never goes back, and it continues while the process is stopped.
 */
const ownId = randomUUID();
export const clockKey = "platform-clock";
export const expiryKey = "platform-expiry";

export const clockNowMs = (): number => performance.now();

/** Returns the first message of a service on a stream: its id and the current time of its clock. */
export const clockText = (): string => `${ownId} ${clockNowMs()}`;

/**
 * Returns the milliseconds left of a deadline by this process's clock; null if the text is not a deadline, or if it
 * refers to another process.
 */
export function leftOfExpiry(text: string | undefined): number | null {
  const [id, atMs] = (text ?? "").split(" ");
  return id === ownId && Number.isFinite(Number(atMs)) ? Number(atMs) - clockNowMs() : null;
}

/** The clock of a service, as its caller knows it. */
export class ServiceClock {
  readonly #id: string;
  /** Offset from the caller's clock to the service's clock, from the reading with the shortest travel time. */
  #offsetMs: number;

  private constructor(id: string, clockMs: number) {
    this.#id = id;
    this.#offsetMs = clockMs - clockNowMs();
  }

  /** Returns null for a service that does not send its clock. */
  static from(text: string | undefined): ServiceClock | null {
    const [id = "", clockMs] = (text ?? "").split(" ");
    return Number.isFinite(Number(clockMs)) ? new ServiceClock(id, Number(clockMs)) : null;
  }

  heard(clockMs: number): void {
    this.#offsetMs = Math.max(this.#offsetMs, clockMs - clockNowMs());
  }

  /** Returns the service's current time, or a slightly earlier one. */
  nowMs(): number {
    return clockNowMs() + this.#offsetMs;
  }

  /** Returns a deadline (epoch milliseconds) expressed in the service's clock. */
  expiryText(deadlineMs: number): string {
    return `${this.#id} ${this.nowMs() + deadlineMs - steadyNowMs()}`;
  }
}

/** Estimates how long a call may have waited unread, for callers that do not know this process's clock. */
export type Standstill = {
  possibleAgeMs(): number;
  stop(): void;
};

const tickMs = 100;
/** Shorter stalls are ordinary for a busy event loop. */
const standstillMsMin = 250;
/** How long after a standstill the process still reads calls that arrived during it, in milliseconds. */
const backlogMs = 1_000;

/**
 * Detects that the process stood still because it was stopped by a signal or a freezer, or was busy within one
 * event-loop tick. Calls that are read soon afterwards may have waited for that time.
 */
export function watchStandstill(nowMs: () => number = () => performance.now()): Standstill {
  let tickedAtMs = nowMs();
  let lastedMs = 0;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    const now = nowMs();
    const stoodMs = now - tickedAtMs - tickMs;
    tickedAtMs = now;
    if (stoodMs < standstillMsMin) return;
    lastedMs = stoodMs;
    endedAtMs = now;
  };
  const timer = setInterval(look, tickMs).unref();
  return {
    possibleAgeMs: () => {
      // The timer has usually detected a stall before calls are read, unless the process was stopped during a read.
      if (nowMs() - tickedAtMs > tickMs + standstillMsMin) look();
      return nowMs() - endedAtMs < backlogMs ? lastedMs : 0;
    },
    stop: () => clearInterval(timer),
  };
}
