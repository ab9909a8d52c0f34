import type { EventEmitter } from "node:events";
import type { DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import type { handleServerStreamingCall, handleUnaryCall, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";
import { isServiceError, ServiceError } from "../errors/service-error.ts";
import type { Logger } from "../process/logger.ts";
import { type Metrics, observeSeconds } from "../process/metrics.ts";
import { activeTraceId, activeTraceparent, inSpan } from "../tracing/spans.ts";
import { contextFromMetadata } from "./call-context.ts";
import { callerOf } from "./caller-identity.ts";
import { toGrpcStatus } from "./error-detail.ts";
import type { CallGuard, ServerCall } from "./incoming-call.ts";
import { decodeMessage, encodeMessage } from "./service-definition.ts";

type AnyCall = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

type CallHandlerOptions = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Do clients show certificates? */
  readonly isTls: boolean;
};

/** What grpc-js calls for a method: admits the call, runs the RPC within a span, measures it, and gives every failure the one error shape. */
export function createCallHandler(
  method: DescMethod,
  rpc: (request: never, call: ServerCall) => unknown,
  guard: CallGuard,
  { logger, metrics, isTls }: CallHandlerOptions,
): {
  unary: handleUnaryCall<Buffer, Buffer>;
  streaming: handleServerStreamingCall<Buffer, Buffer>;
} {
  const label = `${method.parent.typeName}/${method.name}`;

  const admit = (call: AnyCall): void => {
    const caller = isTls ? callerOf(call.getAuthContext().sslPeerCertificate) : null;
    const metadata = {
      get: (name: string) => {
        const value = call.metadata.get(name)[0];
        return typeof value === "string" ? value : undefined;
      },
    };
    try {
      guard(method, { metadata, peer: call.getPeer(), caller });
    } catch (error) {
      logger.warn({ err: error, rpc: label, caller, address: call.getPeer() }, "call refused");
      throw error;
    }
  };

  /** Runs `work` as one call: what it throws comes out as a ServiceError. */
  const serve = <T>(call: AnyCall, work: (context: ServerCall) => Promise<T>): Promise<T> => {
    const startedAtMs = performance.now();
    const carried = contextFromMetadata(call.metadata);
    const abort = new AbortController();
    (call as EventEmitter).on("cancelled", () => abort.abort(new Error("the caller went away")));
    const deadline = call.getDeadline();
    return inSpan(label, { kind: "server", parent: carried.traceparent }, async () => {
      const traceparent = activeTraceparent();
      const context: ServerCall = {
        ...carried,
        ...(traceparent === undefined ? {} : { traceparent }),
        signal: abort.signal,
        deadlineMs: deadline instanceof Date ? deadline.getTime() : deadline,
        logger: logger.child({
          correlation_id: carried.correlationId,
          operation: carried.operation,
          rpc: label,
          trace_id: activeTraceId(),
        }),
      };
      let code = "ok";
      try {
        admit(call);
        return await work(context);
      } catch (error) {
        const answered = isServiceError(error)
          ? error
          : new ServiceError("internal_error", "Something failed on our side.", { cause: error });
        code = answered.code;
        if (code === "internal_error") context.logger.error({ err: error }, "call failed");
        throw answered;
      } finally {
        observeSeconds(metrics.grpcServerDuration, { rpc: label, code }, (performance.now() - startedAtMs) / 1000);
      }
    });
  };

  return {
    unary: (call, respond) => {
      serve(call, async (context) => {
        const request = decodeMessage(method.input, call.request) as never;
        const reply = (await rpc(request, context)) as MessageInitShape<DescMethod["output"]>;
        return encodeMessage(method.output, reply);
      }).then(
        (bytes) => respond(null, bytes),
        (error: ServiceError) => respond(toGrpcStatus(error), null),
      );
    },
    streaming: (call) => {
      let signal: AbortSignal | null = null;
      serve(call, async (context) => {
        signal = context.signal;
        const request = decodeMessage(method.input, call.request) as never;
        const replies = rpc(request, context) as AsyncIterable<MessageInitShape<DescMethod["output"]>>;
        for await (const reply of replies) {
          if (context.signal.aborted) break;
          const isFlowing = call.write(encodeMessage(method.output, reply));
          if (!isFlowing) await onceDrained(call, context.signal);
        }
      }).then(
        () => call.end(),
        (error: ServiceError) => {
          if (signal?.aborted === true) call.end();
          else call.emit("error", toGrpcStatus(error));
        },
      );
    },
  };
}

/** Waits until the stream takes more, so that a slow reader holds back the source instead of filling memory. */
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
