import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { create, type DescMethod, type DescService, type Message, toJsonString } from "@bufbuild/protobuf";
import { createMetrics, silentLogger } from "@platform/kit/process/telemetry";
import type { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, implement, serveGrpc } from "@platform/kit/rpc/server";
import { type SampleStates, sampleMessage, sparseMessage } from "./sample-message.ts";

const generated = fileURLToPath(new URL("../../../proto/generated/", import.meta.url));

/** Returns every service whose calls are all unary or server-streaming. */
async function servicesOfProto(): Promise<DescService[]> {
  const paths = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("_pb.js"));
  const modules = await Promise.all(
    paths.map((path) => import(pathToFileURL(join(generated, path)).href) as Promise<Record<string, unknown>>),
  );
  const isService = (value: unknown): value is DescService => (value as { kind?: unknown } | null)?.kind === "service";
  return modules
    .flatMap((module) => Object.values(module))
    .filter(isService)
    .filter(({ methods }) => methods.every(({ methodKind }) => ["unary", "server_streaming"].includes(methodKind)));
}

/** Fields of responses, by the name of the RPC. */
export type SampleReplies = Readonly<Record<string, Record<string, unknown>>>;

/**
 * Serves every RPC of the proto files on a free port: each returns a sample response, and the call is recorded. A test can thus run a program that calls
 * services, give it every kind of response, and check its calls.
 */
export async function serveSamples() {
  let calls: string[] = [];
  let states: SampleStates = {};
  let isSparse = false;
  let replies: SampleReplies = {};
  let refusals: Readonly<Record<string, ServiceError>> = {};
  const reply = (method: DescMethod, request: Message): Message => {
    const text = toJsonString(method.input, request);
    calls.push(`${method.parent.name}/${method.name} ${text}`);
    const refusal = refusals[method.name];
    if (refusal !== undefined) throw refusal;
    const fixed = replies[method.name];
    if (fixed !== undefined) return create(method.output, fixed);
    // The page after the last one is empty, because callers continue to read until they get an empty page.
    const isNextPage = /"(afterId|cursor)":"[^"]|"afterSeq":"[^"0]/.test(text);
    if (isNextPage) return create(method.output);
    return isSparse ? sparseMessage(method.output) : sampleMessage(method.output, states);
  };
  const services = (await servicesOfProto()).map((service) => {
    const rpcs = service.methods.map((method) => [
      method.localName,
      method.methodKind === "unary"
        ? async (request: Message) => reply(method, request)
        : async function* (request: Message) {
            yield reply(method, request);
          },
    ]);
    return implement(service, Object.fromEntries(rpcs) as Implementation<DescService>, () => undefined);
  });
  const server = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    services,
    logger: silentLogger(),
    metrics: createMetrics("samples", { processMetrics: false }),
  });
  return {
    address: `127.0.0.1:${server.port}`,
    /** Returns the calls since it was last called, in the form `Service/Rpc {request}`. */
    takeCalls: (): string[] => {
      const taken = calls;
      calls = [];
      return taken;
    },
    /** From now on, resources of these messages have these states. */
    setStates: (next: SampleStates): void => {
      states = next;
    },
    /** RPCs of these names return messages with exactly these fields from now on. */
    setReplies: (next: SampleReplies): void => {
      replies = next;
    },
    /** Rejects RPCs of these names from now on. */
    setRefusals: (next: Readonly<Record<string, ServiceError>>): void => {
      refusals = next;
    },
    /** From now on, responses contain only required fields, or all fields again. */
    setSparse: (next: boolean): void => {
      isSparse = next;
    },
    close: () => server.close(0),
  };
}
