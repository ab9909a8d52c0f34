import { setTimeout as delay } from "node:timers/promises";
import { Server, type ServiceDefinition, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import type { Health } from "../process/health.ts";
import type { Logger } from "../process/logger.ts";
import type { Metrics } from "../process/metrics.ts";
import type { CallContext } from "./call-context.ts";
import { createCallHandler } from "./call-handler.ts";
import { assertPlaintextIsLocal, type TlsSetting } from "./credentials.ts";
import { watchStandstill } from "./deadline.ts";
import { addHealthCheck } from "./health-check.ts";
import { listen } from "./listen.ts";
import { createMuxServer, type Serve } from "./mux-server.ts";
import { addReflection } from "./reflection.ts";
import type { ServedService } from "./served-service.ts";
import { bytesMethodDefinition, methodPath } from "./service-definition.ts";
import type { RecognizeFailure } from "./service-error.ts";

export type GrpcServer = {
  readonly port: number;
  /** Stops accepting calls, lets running ones finish for at most `graceMs`, then aborts them. */
  close(graceMs?: number): Promise<void>;
};

type ServeOptions = {
  readonly host: string;
  /** Port to listen on; 0 chooses a free one. */
  readonly port: number;
  readonly tls: TlsSetting;
  readonly services: readonly ServedService[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /**
   * Recognizes failures of the RPCs' dependencies, such as a database. Without it, such failures become internal_error.
   */
  readonly recognizeFailure?: RecognizeFailure;
  /** Source of the standard health check; without it, the server is healthy as long as it responds. */
  readonly health?: Health;
  /** Admits operators and records their actions; required if a service is for operators. */
  readonly operators?: { protect(service: ServedService): ServedService };
  /**
   * Age at which a TLS connection is closed and its client has to open a new one, in milliseconds. Default 30 minutes.
   */
  readonly connectionAgeMs?: number;
  /**
   * True to accept calls on streams as well (proto/projectintegration/mux/v1). Default true; false imitates an older
   * server.
   */
  readonly isMuxServed?: boolean;
};

const noBytes = new Uint8Array();
const messageBytesMax = 5 * 1024 * 1024;
const connectionAgeMs = 30 * 60_000;

/**
 * Serves gRPC on host:port with the limits that every service has: messages of at most 5 MiB, keepalive, and one form
 * of errors.
 */
export async function serveGrpc(options: ServeOptions): Promise<GrpcServer> {
  assertPlaintextIsLocal(options.tls, "listening on", [options.host]);
  const isTls = options.tls !== null && options.tls !== "plaintext";
  const standstill = watchStandstill();
  const server = new Server({
    "grpc.max_receive_message_length": messageBytesMax,
    "grpc.max_send_message_length": messageBytesMax,
    "grpc.keepalive_time_ms": 5_000,
    "grpc.keepalive_timeout_ms": 4_000,
    "grpc.enable_channelz": 0,
    // Ends long-lived connections without losing a call, because they still use certificates that have been replaced.
    ...(!isTls ? {} : { "grpc.max_connection_age_ms": options.connectionAgeMs ?? connectionAgeMs }),
  });
  const framed = new Map<string, Serve>();
  for (const given of options.services) {
    const service = options.operators?.protect(given) ?? given;
    const definition: Record<string, ReturnType<typeof bytesMethodDefinition>> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const method of service.desc.methods) {
      const rpc = service.implementation[method.localName];
      if (rpc === undefined) throw new Error(`no implementation of ${method.parent.typeName}.${method.name}`);
      definition[method.name] = bytesMethodDefinition(method);
      const handle = createCallHandler(method, rpc, service.guard, { ...options, isTls, standstill });
      handlers[method.name] = method.methodKind === "server_streaming" ? handle.streaming : handle.unary;
      if (method.methodKind === "unary") framed.set(methodPath(method), handle.framed);
    }
    server.addService(definition as ServiceDefinition, handlers);
  }
  const unimplemented: Serve = async () => ({
    status: status.UNIMPLEMENTED,
    message: noBytes,
    errorDetail: noBytes,
  });
  const mux = createMuxServer({
    logger: options.logger,
    isTls,
    serve: (call) => (framed.get(call.path) ?? unimplemented)(call),
  });
  if (options.isMuxServed !== false) server.addService(mux.definition, mux.handlers);
  addHealthCheck(server, options.health ?? null);
  const described = options.services.map(({ desc }) => desc);
  addReflection(server, described, isTls);
  const listening = await listen(server, options);
  return {
    port: listening.port,
    close: async (graceMs = 10_000) => {
      standstill.stop();
      mux.drain();
      const stopped = Promise.all([
        listening.stop(),
        new Promise<void>((resolve) => server.tryShutdown(() => resolve())),
      ]);
      const grace = new AbortController();
      await Promise.race([stopped, delay(graceMs, null, { signal: grace.signal }).catch(() => {})]);
      grace.abort();
      server.forceShutdown();
      listening.cut();
    },
  };
}

/** Returns the Project Client of a call. Throws if there is none, so that a store is never queried without a tenant. */
export function requireProjectClient(call: CallContext): {
  readonly id: string;
  readonly environment: string;
} {
  if (call.projectClient === null) throw new Error(`${call.operation} was called without a Project Client`);
  return call.projectClient;
}

/** Returns the idempotency claim of a call. Throws if there is none. */
export function requireIdempotency(call: CallContext): {
  readonly key: string;
  readonly fingerprint: string;
} {
  if (call.idempotency === null) throw new Error(`${call.operation} was called without an idempotency key`);
  return call.idempotency;
}
