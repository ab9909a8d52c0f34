import { type Client, status } from "@grpc/grpc-js";
import { defined } from "../process/defined.ts";
import { steadyNowMs } from "./deadline.ts";
import { type Endpoint, type Endpoints, type ResolveName, watchEndpoints } from "./endpoints.ts";
import { attemptFailure } from "./error-detail.ts";
import { Attempt, type OutgoingCall } from "./outgoing-call.ts";
import { Replica } from "./replica.ts";

export type ReplicasOptions = {
  /** A name with a port, which may stand for several processes, or a comma-separated list of host:port. */
  readonly address: string;
  readonly openClient: (endpoint: Endpoint) => Client;
  readonly isMuxUsed: boolean;
  readonly resolve?: ResolveName;
  /** Milliseconds between resolutions of a name. */
  readonly resolveEveryMs?: number;
  /** Milliseconds after which a connection is replaced, so that new addresses and certificates are used. Default 5 minutes. */
  readonly recycleMs?: number;
};

/** State of one endpoint: its connection, or the time of the next attempt. */
type Slot = {
  readonly endpoint: Endpoint;
  replica: Replica | null;
  retryTimer: NodeJS.Timeout | null;
  failures: number;
  triedAtMs: number;
};

/**
 * Maximum number of calls that wait to be sent. Beyond it, the service is overloaded, and further calls fail
 * immediately.
 */
const waitingMax = 8_192;
/** Number of consecutive calls that the round robin assigns to one replica, so that some of them share a message. */
const turnCalls = 16;
const retryMsFirst = 100;
const retryMsMax = 2_000;
const hopelessFailures = 3;
/** How long a server is assumed not to support streams, in milliseconds. It may be upgraded in the meantime. */
const unimplementedMs = 30_000;
/**
 * Interval at which deadlines are checked, in milliseconds. A passed deadline is detected at most this much plus one
 * event-loop tick late.
 */
const sweepMs = 20;

/**
 * All reachable processes of a service. Calls are distributed round robin; a failing process is skipped and tried again
 * later.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #slots = new Map<string, Slot>();
  /** All connections with calls, including those that accept no more calls. */
  readonly #connections = new Set<Replica>();
  #open: Replica[] = [];
  #waiting: Attempt[] = [];
  #endpoints: Endpoints | null = null;
  #isResolved = false;
  #isClosed = false;
  #sweeper: NodeJS.Timeout | null = null;
  /** Number of attempts that were assigned to a replica. */
  #assigned = 0;

  constructor(options: ReplicasOptions) {
    this.#options = options;
  }

  /** Makes one attempt. Resolves with the response's bytes; rejects with an AttemptFailure. */
  attempt(call: OutgoingCall): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const attempt = new Attempt(call, resolve, reject);
      if (call.deadlineMs <= steadyNowMs()) attempt.expire(steadyNowMs());
      if (!attempt.isSettled) this.#send(attempt);
    });
  }

  /** Returns the client of a reachable replica, for a call whose response is a stream. */
  client(call: OutgoingCall): Promise<Client> {
    return new Promise((resolve, reject) => {
      this.attempt({ ...call, onReplica: resolve }).catch(reject);
    });
  }

  /** Accepts no more calls; calls that were sent still get a response. */
  close(): void {
    this.#isClosed = true;
    this.#endpoints?.close();
    for (const slot of this.#slots.values()) this.#drop(slot);
    this.#slots.clear();
    this.#failWaiting("the connection was closed");
  }

  #send(attempt: Attempt): void {
    if (this.#isClosed) {
      attempt.fail(attemptFailure(status.UNAVAILABLE, "the connection was closed", false));
      return;
    }
    this.#endpoints ??= this.#watch();
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs);
    const replica = this.#nextReplica();
    if ((replica?.waiting ?? this.#waiting.length) >= waitingMax) {
      attempt.fail(attemptFailure(status.RESOURCE_EXHAUSTED, "too many calls wait for the service", false));
    } else if (replica !== null) replica.send(attempt);
    else {
      this.#waiting.push(attempt);
      for (const slot of this.#slots.values()) this.#retrySoon(slot);
      this.#failWhenHopeless("no replica can be reached");
    }
  }

  #nextReplica(): Replica | null {
    for (let tries = this.#open.length; tries > 0; tries -= 1) {
      const replica = this.#open[Math.floor(this.#assigned / turnCalls) % this.#open.length];
      if (replica?.isConnected() !== true) continue;
      this.#assigned += 1;
      return replica;
    }
    return null;
  }

  #watch(): Endpoints {
    const { address, resolve, resolveEveryMs } = this.#options;
    return watchEndpoints(
      address,
      (endpoints) => this.#resolved(endpoints),
      defined({ resolve, everyMs: resolveEveryMs }),
    );
  }

  #resolved(endpoints: readonly Endpoint[]): void {
    this.#isResolved = true;
    const wanted = new Map(endpoints.map((endpoint) => [`${endpoint.ip} ${endpoint.port}`, endpoint]));
    for (const [key, slot] of this.#slots) {
      if (wanted.has(key)) continue;
      this.#slots.delete(key);
      this.#drop(slot);
    }
    for (const [key, endpoint] of wanted) {
      if (this.#slots.has(key)) continue;
      const slot: Slot = { endpoint, replica: null, retryTimer: null, failures: 0, triedAtMs: 0 };
      this.#slots.set(key, slot);
      this.#connect(slot);
    }
    this.#failWhenHopeless("the name cannot be resolved");
  }

  #connect(slot: Slot): void {
    if (slot.retryTimer !== null) clearTimeout(slot.retryTimer);
    slot.retryTimer = null;
    slot.triedAtMs = steadyNowMs();
    const replica = new Replica(() => this.#options.openClient(slot.endpoint), this.#options.isMuxUsed, {
      onOpen: () => {
        slot.failures = 0;
        this.#open.push(replica);
        for (const attempt of this.#waiting.splice(0)) if (!attempt.isSettled) replica.send(attempt);
      },
      onShouldRetire: () => this.#replace(slot, replica),
      onOver: (details) => {
        this.#leaveOut(replica);
        if (slot.replica !== replica) return;
        slot.replica = null;
        const afterMs = Math.min(retryMsFirst * 2 ** slot.failures, retryMsMax);
        slot.failures += 1;
        this.#retry(slot, Math.max(0, slot.triedAtMs + afterMs - steadyNowMs()));
        this.#endpoints?.refresh();
        this.#failWhenHopeless(details);
      },
    });
    slot.replica = replica;
    this.#connections.add(replica);
  }

  /** Opens a new connection; calls on the current one still get responses. */
  #replace(slot: Slot, replica: Replica): void {
    if (slot.replica !== replica) return;
    slot.replica = null;
    this.#leaveOut(replica);
    if (!this.#isClosed && this.#slots.has(`${slot.endpoint.ip} ${slot.endpoint.port}`)) this.#connect(slot);
    for (const attempt of replica.retire()) this.#send(attempt);
  }

  #drop(slot: Slot): void {
    if (slot.retryTimer !== null) clearTimeout(slot.retryTimer);
    const { replica } = slot;
    slot.replica = null;
    if (replica === null) return;
    this.#leaveOut(replica);
    for (const attempt of replica.retire()) this.#send(attempt);
  }

  #leaveOut(replica: Replica): void {
    this.#open = this.#open.filter((one) => one !== replica);
  }

  #retry(slot: Slot, afterMs: number): void {
    if (this.#isClosed || this.#slots.get(`${slot.endpoint.ip} ${slot.endpoint.port}`) !== slot) return;
    if (slot.retryTimer !== null) clearTimeout(slot.retryTimer);
    slot.retryTimer = setTimeout(() => this.#connect(slot), afterMs).unref();
  }

  /** Retries a failed replica soon, because a call is waiting. */
  #retrySoon(slot: Slot): void {
    if (slot.replica === null) this.#retry(slot, Math.max(0, slot.triedAtMs + retryMsFirst - steadyNowMs()));
  }

  /**
   * Fails the waiting calls once every endpoint has lost its connection and two further attempts to connect have
   * failed. These calls certainly were not sent.
   */
  #failWhenHopeless(details: string): void {
    if (!this.#isResolved || this.#waiting.length === 0) return;
    if ([...this.#slots.values()].some(({ replica, failures }) => replica !== null || failures < hopelessFailures))
      return;
    this.#failWaiting(details);
  }

  #failWaiting(details: string): void {
    for (const attempt of this.#waiting.splice(0)) attempt.fail(attemptFailure(status.UNAVAILABLE, details, false));
  }

  /** Checks all deadlines. One timer runs this, because a timer for each call costs more than the call. */
  #sweep(): void {
    const nowMs = steadyNowMs();
    for (const attempt of this.#waiting) attempt.expire(nowMs);
    this.#waiting = this.#waiting.filter((attempt) => !attempt.isSettled);
    for (const replica of this.#connections) {
      replica.sweep(nowMs);
      if (replica.isClosed) this.#connections.delete(replica);
    }
    for (const slot of this.#slots.values()) {
      const { replica } = slot;
      if (replica === null || !this.#open.includes(replica)) continue;
      const ageMsMax =
        replica.isMultiplexing || !this.#options.isMuxUsed ? (this.#options.recycleMs ?? 300_000) : unimplementedMs;
      if (nowMs - replica.openedAtMs > ageMsMax) this.#replace(slot, replica);
    }
    if (this.#waiting.length > 0 || [...this.#connections].some(({ isIdle }) => !isIdle)) return;
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
  }
}
