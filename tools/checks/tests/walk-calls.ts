import { type DescMethod, type Message, toJsonString } from "@bufbuild/protobuf";
import { serviceNames as services, servicesThat } from "@platform/contracts/services";
import { newId } from "@platform/kit/process/secrets";
import type { GrpcConnection } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import { rpcName } from "@platform/operator-plane/operators";

/** The services that implement an RPC of several services. */
const sharedServices: Readonly<Record<string, readonly string[]>> = {
  OperatorActionAdminService: services,
  RetentionAdminService: servicesThat("retention"),
  UsageAdminService: servicesThat("usage"),
  RecordSearchAdminService: services,
};
/** The text that is put into every field that must not be recorded. */
export const canary = "canary-in-a-redacted-field";

/** Options of a call with a correlation id. @param clientId the Project Client in its context; null for none */
export const options = (correlationId: string, clientId: string | null = newId()) => ({
  context: {
    correlationId,
    operation: "walk",
    projectClient: clientId === null ? null : { id: clientId, environment: "development" },
    idempotency: null,
  },
  deadlineMs: Date.now() + 10_000,
});

/** The gauge that a service owns, because a request for any other gauge would be an error of the caller. */
const gauges: Readonly<Record<string, string>> = {
  "projectintegration.files.v1.QuotaLevelService": "storage_bytes",
  "projectintegration.events.v1.QuotaLevelService": "audit_retention",
};

/**
 * Fills every field that must not be recorded, and few others, so that a call gets only as far as it must to be checked and recorded.
 */
export function requestOf({ input, parent }: Pick<DescMethod, "input" | "parent">): Record<string, string> {
  const gauge = gauges[parent.typeName];
  if (gauge !== undefined) return { resource: gauge };
  const redacted = input.fields.filter(
    ({ proto, fieldKind, scalar }) => proto.options?.debugRedact === true && fieldKind === "scalar" && scalar === 9,
  );
  return Object.fromEntries(redacted.map(({ localName }) => [localName, canary]));
}

/** Returns the services that serve an RPC. */
export const servicesOf = (method: DescMethod): readonly string[] => {
  const [, owner = ""] = method.parent.typeName.split(".");
  return sharedServices[method.parent.name] ?? [owner];
};

/** Formats the result of a call: "ok" and its reply as JSON, or the code and message of its error. */
export type Ended = { readonly code: string; readonly message: string; readonly reply: string };

/**
 * Executes a call and returns its result. For a stream, the first response is enough, or the fact that it stays open.
 */
export async function endOf(
  connection: GrpcConnection | undefined,
  method: DescMethod,
  request: Readonly<Record<string, unknown>>,
  how: ReturnType<typeof options>,
): Promise<Ended> {
  if (connection === undefined) throw new Error(`${rpcName(method)} belongs to no service`);
  const client = connection.service(method.parent) as unknown as Record<
    string,
    (request: object, options: object) => Promise<object> & AsyncIterable<object>
  >;
  const call = client[method.localName];
  if (call === undefined) throw new Error(`${rpcName(method)} has no client`);
  try {
    if (method.methodKind === "server_streaming") {
      const signal = AbortSignal.timeout(5_000);
      for await (const _answer of call(request, { ...how, signal })) break;
      return { code: "ok", message: "", reply: "" };
    }
    const reply = toJsonString(method.output, (await call(request, how)) as Message);
    return { code: "ok", message: "", reply };
  } catch (error) {
    const { name, message } = error as Error;
    return { code: isServiceError(error) ? error.code : name, message, reply: "" };
  }
}
