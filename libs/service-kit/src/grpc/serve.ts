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
import { callerGuard, callerOf } from "./caller-identity.ts";
import { serverCredentials, type TlsFiles } from "./credentials.ts";
import { toGrpcStatus } from "./error-detail.ts";
import { addHealthCheck } from "./health-check.ts";
import { logRefusedHandshakes } from "./refused-handshakes.ts";
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

/** Who makes a call, as far as it is known before the RPC. */
export type IncomingCall = {
  /** A metadata value by its name. */
  readonly metadata: { get(name: string): string | undefined };
  readonly peer: string;
  /** Who the client's certificate names; null over plain text, where nobody can be told apart. */
  readonly caller: string | null;
};

/** Throws when the call may not be made; runs before the RPC. */
export type CallGuard = (method: DescMethod, call: IncomingCall) => void;

/** A service and its RPCs, ready to be served. */
export type ServedService = {
  readonly desc: DescService;
  readonly implementation: Record<string, (request: never, call: ServerCall) => unknown>;
  readonly guard: CallGuard;
};

/** Ties a service description to its RPCs; the compiler demands each one. Unless a guard says otherwise, only the gateway may call them. */
export function implement<S extends DescService>(
  desc: S,
  implementation: Implementation<S>,
  guard: CallGuard = callerGuard("gateway"),
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
  /** With TLS, how long a connection lasts before its client is told to make a new one, in milliseconds. Default 30 minutes. */
  readonly connectionAgeMs?: number;
};

const messageBytesMax = 5 * 1024 * 1024;
const connectionAgeMs = 30 * 60_000;

/** Serves gRPC on host:port with the limits every service has: 5 MiB messages, keepalive, one error shape. */
export async function serveGrpc(options: ServeOptions): Promise<GrpcServer> {
  const server = new Server({
    "grpc.max_receive_message_length": messageBytesMax,
    "grpc.max_send_message_length": messageBytesMax,
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.enable_channelz": 0,
    // Long-lived connections would go on under a certificate that has been replaced; the old ones are ended without losing a call.
    ...(options.tls === null ? {} : { "grpc.max_connection_age_ms": options.connectionAgeMs ?? connectionAgeMs }),
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
  const { logger } = options;
  const tlsCredentials = serverCredentials(options.tls, (error) => {
    if (error === null) logger.info("certificates renewed");
    else logger.error({ err: error }, "renewed certificates cannot be used, the old ones stay");
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, tlsCredentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  if (options.tls !== null) logRefusedHandshakes(server, logger);
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
  guard: CallGuard,
  { logger, metrics, tls }: ServeOptions,
): {
  unary: handleUnaryCall<Buffer, Buffer>;
  streaming: handleServerStreamingCall<Buffer, Buffer>;
} {
  const label = `${method.parent.typeName}/${method.name}`;
  const isTls = tls !== null;

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
