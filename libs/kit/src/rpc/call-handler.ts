import type { EventEmitter } from "node:events";
import type { DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import type { Logger } from "../process/logger.ts";
import { type Metrics, observeSeconds } from "../process/metrics.ts";
import { activeTraceparent, inSpan, isTracing } from "../process/spans.ts";
import { contextFromMetadata } from "./call-context.ts";
import type { Reply } from "./call-frame.ts";
import type { Standstill } from "./deadline.ts";
import { expiryKey, fromMachineClock, leftOfExpiry, steadyNowMs } from "./deadline.ts";
import { encodeErrorDetail, grpcStatusOf, toGrpcStatus } from "./error-detail.ts";
import { IncomingCall, peerOf } from "./incoming-call.ts";
import { requestReader } from "./message-bounds.ts";
import { encodeMessage } from "./message-bytes.ts";
import type { Serve } from "./mux-server.ts";
import type { Guard, ServerCall } from "./server-call.ts";
import { deadlinePassedBefore, type RecognizeFailure, type ServiceError, toServiceError } from "./service-error.ts";

type HandlerOptions = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** True if clients present certificates. */
  readonly isTls: boolean;
  readonly standstill: Standstill;
  /** Recognizes failures of the RPC's dependencies, such as a database. */
  readonly recognizeFailure?: RecognizeFailure;
};

/**
 * Serves a method for calls in frames and for plain calls: admits the call, checks the bounds of its request, runs the
 * RPC within a span, measures its duration, and converts every failure to a ServiceError.
 */
export function createCallHandler(
  method: DescMethod,
  rpc: (request: never, call: ServerCall) => unknown,
  guard: Guard,
  options: HandlerOptions,
): {
  unary: handleUnaryCall<Buffer, Buffer>;
  streaming: handleServerStreamingCall<Buffer, Buffer>;
  framed: Serve;
} {
  const { logger, metrics, recognizeFailure } = options;
  const label = `${method.parent.typeName}/${method.name}`;
  const attributes = { "rpc.system.name": "grpc", "rpc.method": label };
  const readRequest = requestReader(method.input);
  const answeredFor = (error: unknown): ServiceError => toServiceError(error, recognizeFailure);

  /** Returns a promise only if the guard returns one, so that other calls are not delayed. */
  const admit = (call: IncomingCall): ReturnType<Guard> => {
    const refuse = (error: unknown): never => {
      logger.warn({ err: error, rpc: label, caller: call.caller, address: call.peer }, "a call was rejected");
      throw error;
    };
    try {
      return guard(method, call)?.catch(refuse);
    } catch (error) {
      return refuse(error);
    }
  };

  /** Runs `work` for one call and rejects with a ServiceError. */
  const run = async <T>(call: IncomingCall, work: (call: IncomingCall) => Promise<T>): Promise<T> => {
    const startedAtMs = performance.now();
    const traceparent = activeTraceparent();
    if (traceparent !== undefined) call.traceparent = traceparent;
    let code = "ok";
    try {
      // A caller that has given up may have repeated the call elsewhere. Starting the call now could do the work twice.
      if (call.hasEnded || call.deadlineMs <= steadyNowMs()) throw deadlinePassedBefore();
      const admitted = admit(call);
      if (admitted !== undefined) call.operator = await admitted;
      return await work(call);
    } catch (error) {
      const answered = answeredFor(error);
      code = answered.code;
      if (code === "internal_error" || answered !== error) call.logger.error({ err: error }, "a call failed");
      throw answered;
    } finally {
      call.settle();
      observeSeconds(metrics.grpcServerDuration, { rpc: label, code }, (performance.now() - startedAtMs) / 1000);
    }
  };
  const serve = <T>(call: IncomingCall, work: (call: IncomingCall) => Promise<T>): Promise<T> =>
    isTracing()
      ? inSpan(label, { kind: "server", parent: call.traceparent, attributes }, () => run(call, work))
      : run(call, work);

  const answer = async (call: IncomingCall): Promise<Buffer> => {
    // The request was decoded by the schema of the method that the RPC serves, but only the registration knows its
    // type.
    const reply = (await rpc(readRequest(call.message) as never, call)) as MessageInitShape<DescMethod["output"]>;
    return encodeMessage(method.output, reply);
  };

  /**
   * Converts any error to a response, including errors of tracing and logging, because nothing else would catch them.
   */
  const failedReply = (thrown: unknown): Reply => {
    const error = answeredFor(thrown);
    return { status: grpcStatusOf(error.code), message: noBytes, errorDetail: encodeErrorDetail(error) };
  };

  return {
    unary: (call, respond) => {
      serve(incomingCall(call, options), answer).then(
        (bytes) => respond(null, bytes),
        (error: unknown) => respond(toGrpcStatus(answeredFor(error)), null),
      );
    },
    framed: (call) => serve(call, answer).then(reply, failedReply),
    streaming: (stream) => {
      const incoming = incomingCall(stream, options);
      serve(incoming, async (call) => {
        // The reader decodes the request by the schema of the method, as for unary calls.
        const replies = rpc(readRequest(call.message) as never, call) as AsyncIterable<
          MessageInitShape<DescMethod["output"]>
        >;
        for await (const one of replies) {
          if (call.signal.aborted) break;
          const isFlowing = stream.write(encodeMessage(method.output, one));
          if (!isFlowing) await onceDrained(stream, call.signal);
        }
      }).then(
        () => stream.end(),
        (error: unknown) => {
          if (incoming.hasEnded) stream.end();
          else stream.emit("error", toGrpcStatus(answeredFor(error)));
        },
      );
    },
  };
}

const noBytes = new Uint8Array();

const reply = (message: Uint8Array): Reply => ({ status: 0, message, errorDetail: noBytes });

/**
 * Converts a call of grpc-js. Its deadline counts from the time at which the call was read; the time for which it
 * waited unread is estimated separately.
 */
function incomingCall(
  call: ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>,
  { standstill, isTls, logger }: HandlerOptions,
): IncomingCall {
  const { metadata } = call;
  const deadline = fromMachineClock(Number(call.getDeadline()));
  const leftMs = leftOfExpiry(metadata.get(expiryKey)[0]?.toString());
  const deadlineMs =
    leftMs === null
      ? deadline - Math.ceil(standstill.possibleAgeMs())
      : Math.min(deadline, Math.floor(steadyNowMs() + leftMs));
  const read = (name: string): string | undefined => {
    const value = metadata.get(name)[0];
    return typeof value === "string" ? value : undefined;
  };
  const received = {
    path: call.getPath(),
    message: call.request,
    context: contextFromMetadata(metadata),
    metadata: { get: read },
    deadlineMs,
    isTimed: false,
  };
  const incoming = new IncomingCall(received, peerOf(call, isTls), logger);
  if (call.cancelled) incoming.end("the caller went away");
  (call as EventEmitter).on("cancelled", () => incoming.end("the caller went away"));
  return incoming;
}

/** Applies back-pressure: waits until the stream accepts more data. */
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
