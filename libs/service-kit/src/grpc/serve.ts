import type { EventEmitter } from "node:events";
import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { isServiceError, ServiceError } from "../errors/service-error.ts";
import type { Health } from "../process/health.ts";
import type { Logger } from "../process/logger.ts";
import type { Metrics } from "../process/metrics.ts";
import { type CallContext, contextFromMetadata } from "./call-context.ts";
import { serverCredentials, type TlsFiles } from "./credentials.ts";
import { toGrpcStatus } from "./error-detail.ts";
import { addHealthCheck } from "./health-check.ts";
import { bytesMethodDefinition, decodeMessage, encodeMessage } from "./service-definition.ts";

/** What an RPC knows about its call besides the message. */
export type ServerCall = CallContext & {
  /** Aborts when the deadline passes or the caller goes away. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds by which the caller wants an answer; Infinity when it named none. */
  readonly deadlineMs: number;
  readonly logger: Logger;
};

type Unary<M extends DescMethod> = (
  request: MessageShape<M["input"]>,
  call: ServerCall,
) => Promise<MessageInitShape<M["output"]>>;

type ServerStreaming<M extends DescMethod> = (
  request: MessageShape<M["input"]>,
  call: ServerCall,
) => AsyncIterable<MessageInitShape<M["output"]>>;

/** The RPCs of a service, one function each: unary ones return a promise, server-streaming ones an async iterable. */
export type Implementation<S extends DescService> = {
  [K in keyof S["method"]]: S["method"][K]["methodKind"] extends "server_streaming"
    ? ServerStreaming<S["method"][K]>
    : Unary<S["method"][K]>;
};

/** Throws when the call may not be made; runs before the RPC. */
export type CallGuard = (method: DescMethod, call: { metadata: ReadonlyMap<string, string>; peer: string }) => void;

/** A service and its RPCs, ready to be served. */
export type ServedService = {
  readonly desc: DescService;
  readonly implementation: Record<string, (request: never, call: ServerCall) => unknown>;
  readonly guard: CallGuard | null;
};

/** Ties a service description to its RPCs; the compiler demands each one. */
export function implement<S extends DescService>(
  desc: S,
  implementation: Implementation<S>,
  guard: CallGuard | null = null,
): ServedService {
  return {
    desc,
    implementation: implementation as unknown as ServedService["implementation"],
    guard,
  };
}

export type GrpcServer = {
  readonly port: number;
  /** Stops taking calls, lets running ones finish for at most `graceMs`, then cuts them off. */
  close(graceMs?: number): Promise<void>;
};

type ServeOptions = {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly tls: TlsFiles | null;
  readonly services: readonly ServedService[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** What the standard health check answers by; without it the server is healthy as long as it answers. */
  readonly health?: Health;
};

const messageBytesMax = 5 * 1024 * 1024;

/** Serves gRPC on host:port with the limits every service has: 5 MiB messages, keepalive, one error shape. */
export async function serveGrpc(options: ServeOptions): Promise<GrpcServer> {
  const server = new Server({
    "grpc.max_receive_message_length": messageBytesMax,
    "grpc.max_send_message_length": messageBytesMax,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.enable_channelz": 0,
  });
  for (const service of options.services) {
    const definition: Record<string, ReturnType<typeof bytesMethodDefinition>> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const method of service.desc.methods) {
      const rpc = service.implementation[method.localName];
      if (rpc === undefined) throw new Error(`no implementation of ${method.parent.typeName}.${method.name}`);
      definition[method.name] = bytesMethodDefinition(method);
      const handle = createCallHandler(method, rpc, service.guard, options);
      handlers[method.name] = method.methodKind === "server_streaming" ? handle.streaming : handle.unary;
    }
    server.addService(definition as ServiceDefinition, handlers);
  }
  addHealthCheck(server, options.health ?? null);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, serverCredentials(options.tls), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    port,
    close: (graceMs = 10_000) =>
      new Promise((resolve) => {
        const force = setTimeout(() => {
          server.forceShutdown();
          resolve();
        }, graceMs);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      }),
  };
}

type AnyCall = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

function createCallHandler(
  method: DescMethod,
  rpc: (request: never, call: ServerCall) => unknown,
  guard: CallGuard | null,
  { logger, metrics }: ServeOptions,
): {
  unary: handleUnaryCall<Buffer, Buffer>;
  streaming: handleServerStreamingCall<Buffer, Buffer>;
} {
  const label = `${method.parent.typeName}/${method.name}`;

  const begin = (
    call: AnyCall,
  ): {
    request: never;
    context: ServerCall;
    finish: (error: unknown) => ServiceError;
  } => {
    const started = performance.now();
    const abort = new AbortController();
    (call as EventEmitter).on("cancelled", () => abort.abort(new Error("the caller went away")));
    const deadline = call.getDeadline();
    const context = contextFromMetadata(call.metadata);
    const child = logger.child({
      correlation_id: context.correlationId,
      operation: context.operation,
      rpc: label,
    });
    const finish = (error: unknown): ServiceError => {
      const answered =
        error === null || isServiceError(error)
          ? error
          : new ServiceError("internal_error", "Something failed on our side.", { cause: error });
      const code = answered === null ? "ok" : answered.code;
      metrics.grpcServerDuration.observe({ rpc: label, code }, (performance.now() - started) / 1000);
      if (answered?.code === "internal_error") child.error({ err: error }, "call failed");
      return answered as ServiceError;
    };
    return {
      request: undefined as never,
      context: {
        ...context,
        signal: abort.signal,
        deadlineMs: deadline instanceof Date ? deadline.getTime() : deadline,
        logger: child,
      },
      finish,
    };
  };

  const admit = (call: AnyCall): void => {
    if (guard === null) return;
    const pairs = Object.entries(call.metadata.getMap()).filter(
      (pair): pair is [string, string] => typeof pair[1] === "string",
    );
    guard(method, { metadata: new Map(pairs), peer: call.getPeer() });
  };

  return {
    unary: (call, respond) => {
      const { context, finish } = begin(call);
      const run = async (): Promise<Buffer> => {
        admit(call);
        const request = decodeMessage(method.input, call.request) as never;
        const reply = (await rpc(request, context)) as MessageInitShape<DescMethod["output"]>;
        return encodeMessage(method.output, reply);
      };
      run().then(
        (bytes) => {
          finish(null);
          respond(null, bytes);
        },
        (error: unknown) => respond(toGrpcStatus(finish(error)), null),
      );
    },
    streaming: (call) => {
      const { context, finish } = begin(call);
      const run = async (): Promise<void> => {
        admit(call);
        const request = decodeMessage(method.input, call.request) as never;
        const replies = rpc(request, context) as AsyncIterable<MessageInitShape<DescMethod["output"]>>;
        for await (const reply of replies) {
          if (context.signal.aborted) break;
          const flowing = call.write(encodeMessage(method.output, reply));
          if (!flowing) await onceDrained(call, context.signal);
        }
      };
      run().then(
        () => {
          finish(null);
          call.end();
        },
        (error: unknown) => {
          if (context.signal.aborted) call.end();
          else call.emit("error", toGrpcStatus(finish(error)));
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

/** The Project Client a call is for. Throws when the caller named none: a store is never asked without a tenant. */
export function requireProjectClient(call: CallContext): {
  readonly id: string;
  readonly environment: string;
} {
  if (call.projectClient === null) throw new Error(`${call.operation} was called without a Project Client`);
  return call.projectClient;
}

/** The idempotency claim a call carries. Throws when the caller named none. */
export function requireIdempotency(call: CallContext): {
  readonly key: string;
  readonly fingerprint: string;
} {
  if (call.idempotency === null) throw new Error(`${call.operation} was called without an idempotency key`);
  return call.idempotency;
}
