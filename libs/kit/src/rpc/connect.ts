import {
  type DescMethod,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Client, type ClientReadableStream, type ServiceError as GrpcError, status } from "@grpc/grpc-js";
import { activeTraceparent, inSpan, isTracing } from "../process/spans.ts";
import { type CallContext, contextToMetadata } from "./call-context.ts";
import { assertPlaintextIsLocal, channelCredentials, type TlsSetting } from "./credentials.ts";
import { steadyNowMs, toMachineClock } from "./deadline.ts";
import { type Endpoint, parseAddress, type ResolveName } from "./endpoints.ts";
import { type AttemptFailure, fromAttemptFailure, fromGrpcFailure, isRefusedStream } from "./error-detail.ts";
import { encodeMessage } from "./message-bytes.ts";
import type { OutgoingCall } from "./outgoing-call.ts";
import { Replicas } from "./replicas.ts";
import { createRetryBudget, type RetryBudget } from "./retry-budget.ts";
import { bytesMethodDefinition, methodPath } from "./service-definition.ts";

/** Options of one call. */
export type CallOptions = {
  readonly context: CallContext;
  /**
   * Time by which the response must arrive, in epoch milliseconds of `steadyNowMs`. Default: 5 s from now; streams have
   * no deadline by default.
   */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /**
   * True if the call may be sent again when the service cannot be reached. Set it only for reads and for calls with an
   * idempotency key.
   */
  readonly retryUnavailable?: boolean;
  /** Metadata of this call in addition to the connection's, for example the assertion of the calling operator. */
  readonly metadata?: Lines;
};

type Unary<M extends DescMethod> = (
  request: MessageInitShape<M["input"]>,
  options: CallOptions,
) => Promise<MessageShape<M["output"]>>;

type ServerStreaming<M extends DescMethod> = (
  request: MessageInitShape<M["input"]>,
  options: CallOptions,
) => AsyncIterable<MessageShape<M["output"]>>;

/** A client of a service with one function per RPC. Every failure is a ServiceError. */
export type ServiceClient<S extends DescService> = {
  [K in keyof S["method"]]: S["method"][K]["methodKind"] extends "server_streaming"
    ? ServerStreaming<S["method"][K]>
    : Unary<S["method"][K]>;
};

/** Connections to all processes behind an address. Clients of several services may share them. */
export type GrpcConnection = {
  service<S extends DescService>(desc: S): ServiceClient<S>;
  /** Returns whether a process can be reached within `timeoutMs`. Never throws. */
  ready(timeoutMs: number): Promise<boolean>;
  /**
   * Queries the health of a process (grpc.health.v1): `ok`, `degraded` if it responds but does not serve everything,
   * otherwise `down`.
   */
  health(timeoutMs: number): Promise<"ok" | "degraded" | "down">;
  close(): void;
};

type ConnectOptions = {
  /** host:port, or several of these separated by commas. A host name represents all its addresses. */
  readonly address: string;
  readonly tls: TlsSetting;
  /** Metadata sent with every call, for example the operator's token. A function is called before each call. */
  readonly metadata?: Lines | (() => Promise<Lines>);
  /** Multiplexes unary calls over a stream where the server supports it (proto/projectintegration/mux/v1). Default true. */
  readonly isMuxUsed?: boolean;
  /** Resolves a name to all its addresses. Default: the resolver of this machine. */
  readonly resolve?: ResolveName;
  /** Milliseconds between resolutions. Default 5 s. */
  readonly resolveEveryMs?: number;
  /** Milliseconds after which a connection is replaced. Default 5 minutes. */
  readonly recycleMs?: number;
};

const messageBytesMax = 5 * 1024 * 1024;
const callTimeoutMs = 5_000;
const retryDelaysMs = [25, 100];
const readyEveryMs = 50;
const noBytes = Buffer.alloc(0);
const ownContext: CallContext = { correlationId: "", operation: "health", projectClient: null, idempotency: null };

/** Connects to every process behind the address when the first call is made, and reconnects after a failure. */
export function connectGrpc(options: ConnectOptions): GrpcConnection {
  const hosts = parseAddress(options.address).map(({ host }) => host);
  assertPlaintextIsLocal(options.tls, "calling", hosts);
  const credentialsFor = channelCredentials(options.tls);
  const openClient = ({ ip, port, host }: Endpoint): Client => {
    const channel = credentialsFor(host);
    return new Client(ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`, channel.credentials, {
      ...channel.options,
      "grpc.max_receive_message_length": messageBytesMax,
      "grpc.max_send_message_length": messageBytesMax,
      // Keepalive detects a peer that no longer responds: a ping is sent every 5 s, and a connection without a reply
      // within 4 s is closed.
      "grpc.keepalive_time_ms": 5_000,
      "grpc.keepalive_timeout_ms": 4_000,
      "grpc.enable_retries": 0,
      "grpc.enable_channelz": 0,
      "grpc.use_local_subchannel_pool": 1,
      "grpc.service_config_disable_resolution": 1,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 1_000,
    });
  };
  const { isMuxUsed = true, metadata = {} } = options;
  const linesOf = typeof metadata === "function" ? metadata : () => metadata;
  const replicas = new Replicas({ ...options, isMuxUsed, openClient });
  const budget = createRetryBudget();
  const health = async (timeoutMs: number): Promise<"ok" | "degraded" | "down"> => {
    // The module is loaded on demand, because its library takes a third of this module's load time, and a short-lived
    // caller such as platformctl does not check health.
    const { healthCheckPath, healthCheckRequest, readHealth } = await import("./health-check.ts");
    const asked = replicas.attempt({
      path: healthCheckPath,
      message: healthCheckRequest,
      context: ownContext,
      metadata: {},
      deadlineMs: steadyNowMs() + timeoutMs,
      isAlone: true,
    });
    return asked.then(readHealth, () => "down");
  };
  return {
    service: <S extends DescService>(desc: S): ServiceClient<S> => {
      const calls: Record<string, unknown> = {};
      for (const method of desc.methods) {
        calls[method.localName] =
          method.methodKind === "server_streaming"
            ? streamingCall(replicas, method, linesOf)
            : unaryCall({ replicas, budget, linesOf, address: options.address }, method);
      }
      return calls as ServiceClient<S>;
    },
    ready: async (timeoutMs) => {
      const untilMs = steadyNowMs() + timeoutMs;
      while (steadyNowMs() < untilMs) {
        if ((await health(untilMs - steadyNowMs())) !== "down") return true;
        await new Promise((resolve) => setTimeout(resolve, readyEveryMs));
      }
      return false;
    },
    health,
    close: () => replicas.close(),
  };
}

type Lines = Readonly<Record<string, string>>;
type LinesOf = () => Lines | Promise<Lines>;

/** Returns the context of a call with the traceparent of the active span. */
function tracedContext(context: CallContext): CallContext {
  const traceparent = activeTraceparent();
  return traceparent === undefined ? context : { ...context, traceparent };
}

type Callee = {
  readonly replicas: Replicas;
  readonly budget: RetryBudget;
  readonly linesOf: LinesOf;
  readonly address: string;
};

function unaryCall({ replicas, budget, linesOf, address }: Callee, method: DescMethod): Unary<DescMethod> {
  const path = methodPath(method);
  const name = `${method.parent.typeName}/${method.name}`;
  const call: Unary<DescMethod> = async (request, options) => {
    const { context, deadlineMs = steadyNowMs() + callTimeoutMs, signal } = options;
    const message = encodeMessage(method.input, request);
    const lines = linesOf();
    const common = lines instanceof Promise ? await lines : lines;
    const metadata = options.metadata === undefined ? common : { ...common, ...options.metadata };
    const outgoing: OutgoingCall = { path, message, context: tracedContext(context), metadata, deadlineMs, signal };
    let mayHaveBegun = false;
    budget.call();
    for (let attempt = 0; ; attempt += 1) {
      try {
        return fromBinary(method.output, await replicas.attempt(outgoing));
      } catch (error) {
        const { code, wasSent, errorDetail } = error as Partial<AttemptFailure>;
        // The server rejected the call, so it can be reached; another connection is tried until the deadline.
        const delayMs =
          retryDelaysMs[attempt] ?? (isRefusedStream(error as AttemptFailure) ? retryDelaysMs[0] : undefined);
        // A call that certainly was not sent may always be sent again. A call with a response from the service is not
        // sent again, because the service has already retried it.
        const maySendAgain = wasSent === false || (options.retryUnavailable === true && errorDetail === undefined);
        const mayRetry = maySendAgain && code === status.UNAVAILABLE && delayMs !== undefined;
        if (!mayRetry || (wasSent !== false && !budget.take()) || steadyNowMs() + delayMs >= deadlineMs)
          throw fromAttemptFailure(error, name, mayHaveBegun);
        mayHaveBegun ||= wasSent !== false;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  };
  const attributes = { "rpc.system.name": "grpc", "rpc.method": name, "server.address": address };
  return (request, options) => {
    if (!isTracing()) return call(request, options);
    const parent = activeTraceparent() ?? options.context.traceparent;
    return inSpan(name, { kind: "client", parent, attributes }, () => call(request, options));
  };
}

function streamingCall(replicas: Replicas, method: DescMethod, linesOf: LinesOf): ServerStreaming<DescMethod> {
  const { path, requestSerialize, responseDeserialize } = bytesMethodDefinition(method);
  const name = `${method.parent.typeName}/${method.name}`;
  return async function* (request, options) {
    const { deadlineMs, signal } = options;
    const context = tracedContext(options.context);
    const lines = { ...(await linesOf()), ...options.metadata };
    const metadata = contextToMetadata(context);
    for (const [name, value] of Object.entries(lines)) metadata.set(name, value);
    const connecting = { path, message: noBytes, context, metadata: lines, signal };
    const client = await replicas
      .client({ ...connecting, deadlineMs: deadlineMs ?? steadyNowMs() + callTimeoutMs })
      .catch((error: unknown) => {
        if (signal?.aborted === true) return null;
        throw fromAttemptFailure(error, name);
      });
    if (client === null) return;
    const call: ClientReadableStream<Buffer> = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      encodeMessage(method.input, request),
      metadata,
      deadlineMs === undefined ? {} : { deadline: toMachineClock(deadlineMs) },
    );
    const cancel = (): void => call.cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      for await (const bytes of call) yield fromBinary(method.output, bytes as Buffer);
    } catch (error) {
      if (signal?.aborted !== true) throw fromAttemptFailure(fromGrpcFailure(error as GrpcError), name);
    } finally {
      signal?.removeEventListener("abort", cancel);
      call.cancel();
    }
  };
}
