import type { EventEmitter } from "node:events";
import type { DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import type { Logger } from "../process/logger.ts";
import { type Metrics, observeSeconds } from "../process/metrics.ts";
import { activeTraceId, activeTraceparent, inSpan, isTracing } from "../process/spans.ts";
import { type CallContext, contextFromMetadata } from "./call-context.ts";
import { callerOf } from "./caller-identity.ts";
import type { Standstill } from "./deadline.ts";
import { expiryKey, fromMachineClock, leftOfExpiry, steadyNowMs } from "./deadline.ts";
import { encodeErrorDetail, grpcStatusOf, toGrpcStatus } from "./error-detail.ts";
import type { ArrivingCall, CallGuard, ServerCall } from "./incoming-call.ts";
import { requestReader } from "./message-bounds.ts";
import { asBuffer, encodeMessage } from "./message-bytes.ts";
import type { MultiplexedReply } from "./multiplexed-call.ts";
import type { ServeMultiplexed } from "./mux-server.ts";
import { deadlinePassedBefore, type RecognizeFailure, type ServiceError, toServiceError } from "./service-error.ts";

type AnyCall = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

type Work<G, T> = (context: ServerCall, given: G) => Promise<T>;

type CallHandlerOptions = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Do clients present certificates? */
  readonly isTls: boolean;
  readonly standstill: Standstill;
  /** Recognizes failures of what RPCs use, such as a database. */
  readonly recognizeFailure?: RecognizeFailure;
};

/**
 * Serves a method for plain and multiplexed calls: admits the call, holds its request to its bounds, runs the RPC within a span, measures it, and maps every failure to the one error
 * shape.
 */
export function createCallHandler(
  method: DescMethod,
  rpc: (request: never, call: ServerCall) => unknown,
  guard: CallGuard,
  { logger, metrics, isTls, standstill, recognizeFailure }: CallHandlerOptions,
): {
  unary: handleUnaryCall<Buffer, Buffer>;
  streaming: handleServerStreamingCall<Buffer, Buffer>;
  multiplexed: ServeMultiplexed;
} {
  const label = `${method.parent.typeName}/${method.name}`;
  const attributes = { "rpc.system.name": "grpc", "rpc.method": label };
  const readRequest = requestReader(method.input);
  const answeredFor = (error: unknown): ServiceError => toServiceError(error, recognizeFailure);

  /** A promise only where the guard returns one, so that other calls do not wait. */
  const admit = (call: ArrivingCall): ReturnType<CallGuard> => {
    const caller = isTls ? callerOf(call.certificate()) : null;
    const refuse = (error: unknown): never => {
      logger.warn({ err: error, rpc: label, caller, address: call.peer() }, "call refused");
      throw error;
    };
    try {
      return guard(method, { metadata: call.metadata, peer: call.peer(), caller })?.catch(refuse);
    } catch (error) {
      return refuse(error);
    }
  };

  /** Runs `work` as one call and rejects with a ServiceError. `given` avoids creating a function for each call. */
  const run = async <G, T>(call: ArrivingCall, given: G, work: Work<G, T>): Promise<T> => {
    const startedAtMs = performance.now();
    const context = new RpcCall(call, logger, label, isTls);
    let code = "ok";
    try {
      // A caller that gave up may have repeated the call elsewhere, so starting it now could do the work twice.
      if (call.deadlineMs <= steadyNowMs()) throw deadlinePassedBefore();
      const admitted = admit(call);
      if (admitted !== undefined) context.operator = await admitted;
      return await work(context, given);
    } catch (error) {
      const answered = answeredFor(error);
      code = answered.code;
      if (code === "internal_error" || answered !== error) context.logger.error({ err: error }, "call failed");
      throw answered;
    } finally {
      observeSeconds(metrics.grpcServerDuration, { rpc: label, code }, (performance.now() - startedAtMs) / 1000);
    }
  };
  const serve = <G, T>(call: ArrivingCall, given: G, work: Work<G, T>): Promise<T> =>
    isTracing()
      ? inSpan(label, { kind: "server", parent: call.context.traceparent, attributes }, () => run(call, given, work))
      : run(call, given, work);

  const answer: Work<Uint8Array, Uint8Array<ArrayBuffer>> = async (context, message) => {
    const request = readRequest(message) as never;
    const reply = (await rpc(request, context)) as MessageInitShape<DescMethod["output"]>;
    return encodeMessage(method.output, reply);
  };

  /** Whatever was thrown, also by tracing or logging, becomes an answer: nobody else would catch it. */
  const multiplexedFailure = (thrown: unknown): MultiplexedReply => {
    const error = answeredFor(thrown);
    return {
      status: grpcStatusOf(error.code),
      message: noBytes,
      errorDetail: encodeErrorDetail(error) as MultiplexedReply["errorDetail"],
    };
  };

  return {
    unary: (call, respond) => {
      serve(arrivalOf(call, standstill), call.request, answer).then(
        (bytes) => respond(null, asBuffer(bytes)),
        (error: unknown) => respond(toGrpcStatus(answeredFor(error)), null),
      );
    },
    multiplexed: (call) => serve(call, call.message, answer).then(multiplexedReply, multiplexedFailure),
    streaming: (call) => {
      let signal: AbortSignal | null = null;
      serve(arrivalOf(call, standstill), call.request, async (context, message) => {
        signal = context.signal;
        const request = readRequest(message) as never;
        const replies = rpc(request, context) as AsyncIterable<MessageInitShape<DescMethod["output"]>>;
        for await (const reply of replies) {
          if (context.signal.aborted) break;
          const isFlowing = call.write(asBuffer(encodeMessage(method.output, reply)));
          if (!isFlowing) await onceDrained(call, context.signal);
        }
      }).then(
        () => call.end(),
        (error: unknown) => {
          if (signal?.aborted === true) call.end();
          else call.emit("error", toGrpcStatus(answeredFor(error)));
        },
      );
    },
  };
}

const noBytes = new Uint8Array();

const multiplexedReply = (message: MultiplexedReply["message"]): MultiplexedReply => ({
  status: 0,
  message,
  errorDetail: noBytes,
});

/** A call received by grpc-js. Its deadline counts from when it was read; how long it waited unread is determined separately. */
function arrivalOf(call: AnyCall, standstill: Standstill): ArrivingCall {
  const abort = new AbortController();
  (call as EventEmitter).on("cancelled", () => abort.abort(new Error("the caller went away")));
  const deadline = fromMachineClock(Number(call.getDeadline()));
  const leftMs = leftOfExpiry(call.metadata.get(expiryKey)[0]?.toString());
  const isGone = call.cancelled;
  return {
    context: contextFromMetadata(call.metadata),
    metadata: {
      get: (name) => {
        const value = call.metadata.get(name)[0];
        return typeof value === "string" ? value : undefined;
      },
    },
    deadlineMs: isGone
      ? 0
      : leftMs === null
        ? deadline - Math.ceil(standstill.possibleAgeMs())
        : Math.min(deadline, Math.floor(steadyNowMs() + leftMs)),
    signal: () => abort.signal,
    peer: () => call.getPeer(),
    certificate: () => call.getAuthContext().sslPeerCertificate,
  };
}

/** The call as the RPC sees it. Logger and signal are created on first use. */
class RpcCall implements ServerCall {
  readonly correlationId: string;
  readonly operation: string;
  readonly projectClient: CallContext["projectClient"];
  readonly idempotency: CallContext["idempotency"];
  readonly traceparent?: string;
  readonly deadlineMs: number;
  operator: ServerCall["operator"] = null;
  readonly #arrival: ArrivingCall;
  readonly #parent: Logger;
  readonly #rpc: string;
  readonly #isTls: boolean;
  #logger: Logger | null = null;

  constructor(arrival: ArrivingCall, parent: Logger, rpc: string, isTls: boolean) {
    const { context } = arrival;
    this.correlationId = context.correlationId;
    this.operation = context.operation;
    this.projectClient = context.projectClient;
    this.idempotency = context.idempotency;
    const traceparent = activeTraceparent() ?? context.traceparent;
    if (traceparent !== undefined) this.traceparent = traceparent;
    this.deadlineMs = arrival.deadlineMs;
    this.#arrival = arrival;
    this.#parent = parent;
    this.#rpc = rpc;
    this.#isTls = isTls;
  }

  get signal(): AbortSignal {
    return this.#arrival.signal();
  }

  get caller(): string | null {
    return this.#isTls ? callerOf(this.#arrival.certificate()) : null;
  }

  get authorization(): string {
    return this.#arrival.metadata.get("authorization") ?? "";
  }

  get logger(): Logger {
    this.#logger ??= this.#parent.child({
      correlation_id: this.correlationId,
      operation: this.operation,
      rpc: this.#rpc,
      trace_id: activeTraceId(),
    });
    return this.#logger;
  }
}

/** Back-pressure: waits until the stream accepts more. */
function onceDrained(call: ServerWritableStream<Buffer, Buffer>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    call.on("drain", done);
    signal.addEventListener("abort", done);
  });
}
