import { type Client, connectivityState, status } from "@grpc/grpc-js";
import { contextToMetadata } from "./call-context.ts";
import { framedBytesMax } from "./call-frame.ts";
import { expiryKey, type ServiceClock, steadyNowMs, toMachineClock } from "./deadline.ts";
import { fromGrpcFailure } from "./error-detail.ts";
import { MuxStream } from "./mux-stream.ts";
import type { Attempt } from "./outgoing-call.ts";

export type ReplicaEvents = {
  onOpen(): void;
  /** Called when the server is stopping or does not respond, so that no more calls use this connection. */
  onShouldRetire(): void;
  /**
   * Called when the connection is lost or could not be established. Plain calls in progress may still get a response.
   */
  onOver(details: string): void;
};

/** A replica that has not responded within this time is tried again later. */
const connectMsMax = 2_000;

const same = (bytes: Buffer): Buffer => bytes;

/**
 * The connection to one process of a service. It has a stream of calls, and uses plain calls for large messages and for
 * servers without streams. Large messages have a TCP connection of their own, which is opened for the first of them:
 * all streams of an HTTP/2 connection share its flow-control window, so one large message would delay every other call.
 */
export class Replica {
  readonly openedAtMs = steadyNowMs();
  readonly #openClient: () => Client;
  readonly #client: Client;
  readonly #events: ReplicaEvents;
  readonly #alone = new Set<Attempt>();
  readonly #timer: NodeJS.Timeout;
  #largeClient: Client | null = null;
  #stream: MuxStream | null = null;
  #clock: ServiceClock | null = null;
  #isOpen = false;
  #isRetired = false;
  #isOver = false;

  constructor(openClient: () => Client, isMuxUsed: boolean, events: ReplicaEvents) {
    this.#openClient = openClient;
    this.#client = openClient();
    this.#events = events;
    this.#timer = setTimeout(() => this.#end("no answer in time"), connectMsMax).unref();
    if (isMuxUsed) this.#openStream();
    else this.#openAlone();
  }

  /** Returns whether the server accepts calls on a stream. */
  get isMultiplexing(): boolean {
    return this.#stream !== null;
  }

  /** Returns the number of calls that were not sent yet. */
  get waiting(): number {
    return this.#stream?.waiting ?? 0;
  }

  get isClosed(): boolean {
    return this.#isOver && this.#alone.size === 0;
  }

  get isIdle(): boolean {
    return (this.#stream?.isIdle ?? true) && this.#alone.size === 0;
  }

  /**
   * Returns whether the connection is still open. grpc-js would reconnect a closed one with certificates that may be
   * outdated.
   */
  isConnected(): boolean {
    if (this.#stream !== null || this.#isOver) return !this.#isOver;
    const isReady = this.#client.getChannel().getConnectivityState(false) === connectivityState.READY;
    if (!isReady) this.#end("the connection ended");
    return isReady;
  }

  send(attempt: Attempt): void {
    const { message, isAlone = false, onReplica } = attempt.call;
    if (onReplica !== undefined) {
      attempt.answer(message);
      onReplica(this.#client);
    } else if (this.#stream !== null && !isAlone && message.byteLength <= framedBytesMax) this.#stream.add(attempt);
    else this.#sendAlone(attempt);
  }

  sweep(nowMs: number): void {
    this.#stream?.sweep(nowMs);
    for (const attempt of this.#alone) attempt.expire(nowMs);
  }

  /** Accepts no more calls, ends once the current ones have responses, and returns the calls that were not sent. */
  retire(): Attempt[] {
    this.#isRetired = true;
    const unsent = this.#stream?.retire() ?? [];
    this.#closeWhenIdle();
    return unsent;
  }

  #openStream(): void {
    this.#stream = new MuxStream(this.#client, {
      onTaken: (clock) => {
        this.#clock = clock;
        this.#opened();
      },
      onShouldRetire: () => this.#events.onShouldRetire(),
      onOver: ({ code, details }) => {
        this.#stream = null;
        if (code === status.UNIMPLEMENTED && !this.#isOpen) this.#openAlone();
        else if (!this.#isRetired) this.#end(details ?? "the stream ended");
        else this.#closeWhenIdle();
      },
    });
  }

  #openAlone(): void {
    this.#client.waitForReady(toMachineClock(steadyNowMs() + connectMsMax), (error) => {
      if (error !== undefined) return this.#end(error.message);
      this.#opened();
      const channel = this.#client.getChannel();
      if (!this.#isOver) {
        channel.watchConnectivityState(connectivityState.READY, Number.POSITIVE_INFINITY, () =>
          this.#end("the connection ended"),
        );
      }
    });
  }

  #opened(): void {
    if (this.#isOpen || this.#isOver) return;
    clearTimeout(this.#timer);
    this.#isOpen = true;
    this.#events.onOpen();
  }

  #sendAlone(attempt: Attempt): void {
    const { path, message, context, metadata: lines, deadlineMs } = attempt.call;
    const metadata = contextToMetadata(context);
    for (const [name, value] of Object.entries(lines)) metadata.set(name, value);
    if (this.#clock !== null) metadata.set(expiryKey, this.#clock.expiryText(deadlineMs));
    attempt.sentAtMs = steadyNowMs();
    this.#alone.add(attempt);
    const sent = this.#clientFor(message).makeUnaryRequest(
      path,
      same,
      same,
      message,
      metadata,
      { deadline: toMachineClock(deadlineMs) },
      (error, reply) => {
        this.#alone.delete(attempt);
        if (error !== null) {
          const failure = fromGrpcFailure(error);
          // The server is closing this connection, so the next calls use a new one.
          if (!failure.wasSent && !this.isMultiplexing) this.#end(failure.details);
          attempt.fail(failure);
        } else if (reply !== undefined) attempt.answer(reply);
        if (this.isClosed) this.#closeClients();
        this.#closeWhenIdle();
      },
    );
    attempt.onGivenUp = () => sent.cancel();
    if (attempt.isSettled) sent.cancel();
  }

  #closeWhenIdle(): void {
    if (this.#isRetired && this.#stream === null && this.#alone.size === 0) this.#end("retired");
  }

  #end(details: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stream?.cancel();
    this.#stream = null;
    if (this.#alone.size === 0) this.#closeClients();
    this.#events.onOver(details);
  }

  /** Returns the client that sends a plain call. Servers without streams get all calls on one connection. */
  #clientFor(message: Buffer): Client {
    if (this.#stream === null || message.byteLength <= framedBytesMax) return this.#client;
    this.#largeClient ??= this.#openClient();
    return this.#largeClient;
  }

  #closeClients(): void {
    this.#client.close();
    this.#largeClient?.close();
  }
}
