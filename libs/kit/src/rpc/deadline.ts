import { randomUUID } from "node:crypto";

/** Reserve of each hop in milliseconds, so that it responds before its caller gives up (letsencrypt/boulder:grpc/interceptors.go). */
export const hopReserveMs = 20;

/**
 * Epoch milliseconds by a clock that is set once, at the start of the process, and never steps. Deadlines and waits use
 * it: if the machine's clock were set back by a minute, a deadline by that clock would move a minute away, and a wait
 * would last a minute longer.
 */
export const steadyNowMs = (): number => performance.timeOrigin + performance.now();

/** Converts the moment to the wall clock, which grpc-js uses. */
export const toMachineClock = (steadyMs: number): number => Date.now() + (steadyMs - steadyNowMs());

/** Converts a time of the wall clock, such as a deadline of grpc-js, to the steady clock. */
export const fromMachineClock = (machineMs: number): number => steadyNowMs() + (machineMs - Date.now());

/** The deadline (epoch milliseconds of `steadyNowMs`) for the next hop: this one less the hop's reserve. */
export function nextHopDeadline(deadlineMs: number): number {
  return deadlineMs - hopReserveMs;
}

/** A signal that aborts when the deadline (epoch milliseconds of `steadyNowMs`) passes or the parent aborts. */
export function deadlineSignal(deadlineMs: number, parent?: AbortSignal): AbortSignal {
  // A timeout is a whole number of milliseconds, which a clock with fractions does not provide.
  const leftMs = Math.ceil(deadlineMs - steadyNowMs());
  const timeout = AbortSignal.timeout(Math.max(1, Math.min(leftMs, 2 ** 31 - 1)));
  return parent === undefined ? timeout : AbortSignal.any([timeout, parent]);
}

/**
 * Deadlines by the service's own monotonic clock. The remaining time of a deadline is wrong once a call has waited
 * unread, in the kernel or in a stopped process. A service therefore sends its clock to its callers, which express
 * deadlines in it. A reading is already older when it arrives, so an expressed deadline is never later than the true
 * one. The clock never goes back, and continues while the process is stopped.
 */
const ownId = randomUUID();
export const clockKey = "platform-clock";
export const expiryKey = "platform-expiry";

export const clockNowMs = (): number => performance.now();

/** The first message of a service on a stream: its id and its clock. */
export const clockText = (): string => `${ownId} ${clockNowMs()}`;

/**
 * Milliseconds left of a deadline by this process's clock; null if the text is not a deadline, or is for another
 * process.
 */
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

  /** The service's current time, or slightly earlier. */
  nowMs(): number {
    return clockNowMs() + this.#offsetMs;
  }

  /** A deadline (epoch milliseconds) by the service's clock. */
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
/** Shorter stalls are ordinary ticks of a busy event loop. */
const standstillMsMin = 250;
/** How long after a standstill the calls that arrived during it are read. */
const backlogMs = 1_000;

/**
 * Detects that the process stood still: stopped by a signal or a freezer, or busy within one event-loop tick. Calls
 * that are read right afterwards may have waited for that time.
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
      // Timers run before reads, except when the process was stopped during a read.
      if (nowMs() - tickedAtMs > tickMs + standstillMsMin) look();
      return nowMs() - endedAtMs < backlogMs ? lastedMs : 0;
    },
    stop: () => clearInterval(timer),
  };
}
