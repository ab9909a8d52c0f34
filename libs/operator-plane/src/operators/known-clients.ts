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

/** Returns whether a Project Client with this id exists or has ever existed. */
export type ClientExists = (clientId: string) => Promise<boolean>;

const askedMsMax = 1_000;
const knownMax = 10_000;
/** How long identity-svc is not called after it has not responded. */
const unansweredMs = 5_000;

/**
 * Asks identity-svc for Project Clients. A client that was found is not looked up again, because clients never cease to
 * exist. One that was not found is looked up each time, so that a new client is known immediately. While identity-svc
 * does not respond, every id counts as known: sign-ins do not work then either, and the break-glass token has to.
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
 * Wraps an RPC so that it only runs for existing Project Clients; an operator's request about any other is rejected
 * before the RPC reads or writes anything. Without this, a mistyped id looks like a project without data, and a write
 * creates records that belong to nobody. Only operators can name any client: a machine's token is bound to one.
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
