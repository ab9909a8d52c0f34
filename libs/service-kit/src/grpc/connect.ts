import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { Client, type ClientReadableStream, status } from "@grpc/grpc-js";
import { activeTraceparent, inSpan, isTracing } from "../tracing/spans.ts";
import { type CallContext, contextToMetadata } from "./call-context.ts";
import { channelCredentials, type TlsFiles } from "./credentials.ts";
import { fromGrpcError } from "./error-detail.ts";
import { healthCheckPath, readHealth } from "./health-check.ts";
import { decodeMessage, encodeMessage } from "./message-codec.ts";
import type { MuxFailure, MuxRequest } from "./mux-call.ts";
import { createMuxClient, type MuxClient } from "./mux-client.ts";
import { carriedBytesMax } from "./mux-frame.ts";
import { bytesMethodDefinition } from "./service-definition.ts";

/** How one call is made. */
export type CallOptions = {
  readonly context: CallContext;
  /** Epoch milliseconds by which the answer must be here. Default: 5 s from now; streams have none. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** May the call be sent again when the callee cannot be reached? Only for reads and for calls that carry an idempotency key. */
  readonly retryUnavailable?: boolean;
};

type UnaryCall<M extends DescMethod> = (
  request: MessageInitShape<M["input"]>,
  options: CallOptions,
) => Promise<MessageShape<M["output"]>>;

type StreamingCall<M extends DescMethod> = (
  request: MessageInitShape<M["input"]>,
  options: CallOptions,
) => AsyncIterable<MessageShape<M["output"]>>;

/** A service as its caller sees it: one function for each RPC. Every failure is a ServiceError. */
export type ServiceClient<S extends DescService> = {
  [K in keyof S["method"]]: S["method"][K]["methodKind"] extends "server_streaming"
    ? StreamingCall<S["method"][K]>
    : UnaryCall<S["method"][K]>;
};

/** A connection to one process; several services may be called over it. */
export type GrpcConnection = {
  service<S extends DescService>(desc: S): ServiceClient<S>;
  /** Is the process reachable within `timeoutMs`? Never throws. */
  ready(timeoutMs: number): Promise<boolean>;
  /** Asks the process for its health (grpc.health.v1): `ok`, `degraded` when it answers but does not serve all it should, else `down`. */
  health(timeoutMs: number): Promise<"ok" | "degraded" | "down">;
  close(): void;
};

type ConnectOptions = {
  /** host:port, where a name may stand for several processes, or IPv4 addresses with ports, separated by commas. */
  readonly address: string;
  readonly tls: TlsFiles | null;
  /** Metadata sent with every call, for example the operator's token. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Carries unary calls over few streams where the server can (proto/projectintegration/mux/v1). Default true. */
  readonly isMuxUsed?: boolean;
};

const messageBytesMax = 5 * 1024 * 1024;
const callTimeoutMs = 5_000;
const retryDelaysMs = [25, 100];
/** What grpc-js says of a stream reset with REFUSED_STREAM, which means that the server's code has not seen it (RFC 9113, 8.7). */
const refusedByServer = /Stream refused by server|NGHTTP2_REFUSED_STREAM/;

/** Connects to a gRPC server. The connection is made when first used and kept; grpc-js reconnects by itself. */
export function connectGrpc(options: ConnectOptions): GrpcConnection {
  const target = options.address.includes(",") ? `ipv4:${options.address}` : options.address;
  const channel = channelCredentials(options.tls, options.address);
  const openChannel = (): Client =>
    new Client(target, channel.credentials, {
      ...channel.options,
      // A connection to each replica behind the name; one that goes away is left out at once.
      "grpc.service_config": '{"loadBalancingConfig":[{"round_robin":{}}]}',
      "grpc.max_receive_message_length": messageBytesMax,
      "grpc.max_send_message_length": messageBytesMax,
      "grpc.keepalive_time_ms": 30_000,
      "grpc.keepalive_timeout_ms": 5_000,
      "grpc.enable_retries": 0,
      "grpc.enable_channelz": 0,
      "grpc.use_local_subchannel_pool": 1,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 1_000,
    });
  const client = openChannel();
  const mux = options.isMuxUsed === false ? null : createMuxClient({ openChannel });
  const metadataLines = Object.entries(options.metadata ?? {}).map(([name, value]) => `${name}: ${value}`);
  const metadataOf = (context: CallContext) => {
    const traceparent = activeTraceparent();
    const metadata = contextToMetadata(traceparent === undefined ? context : { ...context, traceparent });
    for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value);
    return metadata;
  };
  return {
    service: <S extends DescService>(desc: S): ServiceClient<S> => {
      const calls: Record<string, unknown> = {};
      for (const method of desc.methods) {
        calls[method.localName] =
          method.methodKind === "server_streaming"
            ? streamingCall(client, method, metadataOf)
            : unaryCall(client, method, metadataOf, mux, metadataLines);
      }
      return calls as ServiceClient<S>;
    },
    ready: (timeoutMs) =>
      new Promise((resolve) => client.waitForReady(Date.now() + timeoutMs, (error) => resolve(error === undefined))),
    health: (timeoutMs) =>
      new Promise((resolve) => {
        client.makeUnaryRequest(
          healthCheckPath,
          (bytes: Buffer) => bytes,
          (bytes: Buffer) => bytes,
          Buffer.alloc(0),
          { deadline: Date.now() + timeoutMs },
          (error, reply) => resolve(error !== null || reply === undefined ? "down" : readHealth(reply)),
        );
      }),
    close: () => {
      mux?.close();
      client.close();
    },
  };
}

type MetadataOf = (context: CallContext) => ReturnType<typeof contextToMetadata>;

function unaryCall(
  client: Client,
  method: DescMethod,
  metadataOf: MetadataOf,
  mux: MuxClient | null,
  metadata: readonly string[],
): UnaryCall<DescMethod> {
  const definition = bytesMethodDefinition(method);
  const { path } = definition;
  const callAlone = ({ message, context, deadlineMs, signal }: MuxRequest): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const call = client.makeUnaryRequest(
        path,
        definition.requestSerialize,
        definition.responseDeserialize,
        message,
        metadataOf(context),
        { deadline: deadlineMs },
        (error, reply) => (error === null && reply !== undefined ? resolve(reply) : reject(error)),
      );
      signal?.addEventListener("abort", () => call.cancel(), { once: true });
    });
  const requestOf = (message: Buffer, { context, deadlineMs, signal }: CallOptions): MuxRequest => {
    const traceparent = activeTraceparent();
    return {
      path,
      message,
      context: traceparent === undefined ? context : { ...context, traceparent },
      metadata,
      deadlineMs: deadlineMs ?? Date.now() + callTimeoutMs,
      signal,
      callAlone,
    };
  };
  const call: UnaryCall<DescMethod> = async (request, options) => {
    const sent = requestOf(encodeMessage(method.input, request), options);
    const isCarried = mux !== null && sent.message.byteLength <= carriedBytesMax;
    let mayHaveArrived = false;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return decodeMessage(method.output, await (isCarried ? mux.call(sent) : callAlone(sent)));
      } catch (error) {
        const delayMs = retryDelaysMs[attempt];
        const { code, details, wasSent } = error as Partial<MuxFailure>;
        // A server that is stopping refuses what arrives too late: such a call has not been made, whatever it is.
        const wasNotMade = wasSent === false || refusedByServer.test(details ?? "");
        mayHaveArrived ||= !wasNotMade;
        const maySendAgain = options.retryUnavailable === true || wasNotMade;
        const mayRetry = maySendAgain && code === status.UNAVAILABLE && delayMs !== undefined;
        if (!mayRetry || Date.now() + delayMs >= sent.deadlineMs) throw fromGrpcError(error, mayHaveArrived);
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  };
  const name = `${method.parent.typeName}/${method.name}`;
  return (request, options) =>
    isTracing()
      ? inSpan(name, { kind: "client", parent: activeTraceparent() ?? options.context.traceparent }, () =>
          call(request, options),
        )
      : call(request, options);
}

function streamingCall(client: Client, method: DescMethod, metadataOf: MetadataOf): StreamingCall<DescMethod> {
  const definition = bytesMethodDefinition(method);
  return async function* (request, options) {
    const call: ClientReadableStream<Buffer> = client.makeServerStreamRequest(
      definition.path,
      definition.requestSerialize,
      definition.responseDeserialize,
      encodeMessage(method.input, request),
      metadataOf(options.context),
      options.deadlineMs === undefined ? {} : { deadline: options.deadlineMs },
    );
    const cancel = (): void => call.cancel();
    options.signal?.addEventListener("abort", cancel, { once: true });
    try {
      for await (const bytes of call) yield decodeMessage(method.output, bytes as Buffer);
    } catch (error) {
      if (options.signal?.aborted !== true) throw fromGrpcError(error);
    } finally {
      options.signal?.removeEventListener("abort", cancel);
      call.cancel();
    }
  };
}
