import type { DescMethod, Message } from "@bufbuild/protobuf";
import { isUuid, newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { type GrpcConnection, steadyNowMs } from "@platform/kit/rpc/client";
import type { ServerCall } from "@platform/kit/rpc/server";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { LRUCache } from "lru-cache";
import { namedClientOf, noSuchClient } from "./named-client.ts";
import { operatorChainId } from "./operator-chain.ts";
import type { Rpc } from "./protect-rpc.ts";

/** Returns whether a Project Client with this id exists or has existed. */
export type ClientExists = (clientId: string) => Promise<boolean>;

const askedMsMax = 1_000;
const knownMax = 10_000;
/** If identity-svc does not respond, it is not called again for this many milliseconds. */
const unansweredMs = 5_000;

/**
 * Looks Project Clients up at identity-svc. A client that was found is not looked up again, because the ids of clients
 * remain known forever. A client that was not found is looked up each time, so that a new one is known immediately.
 * While identity-svc does not respond, every id counts as known: nobody can sign in then, and the break-glass token has
 * to work.
 */
export function findClientsAt(identity: GrpcConnection, logger: Logger): ClientExists {
  const service = identity.service(AuthenticationService);
  const known = new LRUCache<string, true>({ max: knownMax });
  let askAgainAtMs = Number.NEGATIVE_INFINITY;
  return async (projectClientId) => {
    if (known.has(projectClientId) || performance.now() < askAgainAtMs) return true;
    const context = { correlationId: newId(), operation: "known-clients", projectClient: null, idempotency: null };
    try {
      const call = { context, deadlineMs: steadyNowMs() + askedMsMax };
      const { exists } = await service.checkProjectClient({ projectClientId }, call);
      if (exists) known.set(projectClientId, true);
      return exists;
    } catch (error) {
      askAgainAtMs = performance.now() + unansweredMs;
      logger.warn({ err: error }, "identity-svc did not report whether a Project Client exists; the call continues");
      return true;
    }
  };
}

/**
 * Wraps an RPC so that it runs only for existing Project Clients. An operator's request about any other is rejected
 * before the RPC reads or writes anything. Otherwise, a mistyped id would look like a project without data, and a write
 * would create records that belong to nobody. This concerns operators only, because a machine's token is bound to one
 * client.
 * @returns an RPC that throws ServiceError project_client_not_found
 */
export function forKnownClient(method: DescMethod, rpc: Rpc, exists: ClientExists): Rpc {
  const clientOf = namedClientOf(method.input);
  if (clientOf === null) return rpc;
  const requireKnown = async (request: Message, call: ServerCall): Promise<void> => {
    const clientId = call.operator === null ? "" : clientOf(request);
    if (clientId === "" || clientId === operatorChainId || (isUuid(clientId) && (await exists(clientId)))) return;
    throw noSuchClient();
  };
  if (method.methodKind === "server_streaming") {
    const run = rpc as unknown as (request: Message, call: ServerCall) => AsyncIterable<object>;
    return async function* (request: Message, call: ServerCall) {
      await requireKnown(request, call);
      yield* run(request, call);
    } as Rpc;
  }
  const run = rpc as unknown as (request: Message, call: ServerCall) => Promise<object>;
  return (async (request: Message, call: ServerCall) => {
    await requireKnown(request, call);
    return run(request, call);
  }) as Rpc;
}
