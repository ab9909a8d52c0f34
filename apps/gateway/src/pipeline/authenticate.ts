import { hash } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@platform/kit/rpc/client";
import { isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import type { CredentialCache } from "../credential-cache.ts";
import type { CallingClient, CallingSession } from "../handler.ts";
import type { Upstreams } from "../upstreams.ts";
import type { Exchange, Stage } from "./exchange.ts";

const projectCredential = /^Bearer pcred_([0-9a-f]{32})_([0-9a-f]{64})$/i;
const platformSession = /^Bearer psess_([0-9a-f]{32})_([0-9a-f]{64})$/i;

/** Creates the error for every credential that cannot be used, so that callers cannot find out why. */
export function unauthenticated(): ServiceError {
  return new ServiceError(
    "unauthenticated",
    "The credential is missing, malformed, unknown, expired or revoked. Send it as: Authorization: Bearer <credential>.",
  );
}

/**
 * Finds the Project Client or the Platform Session of the presented credential. The operation's record defines which of
 * the two it requires.
 */
export function authenticate(credentials: CredentialCache, upstreams: Upstreams): Stage {
  const beClient = (exchange: Exchange, client: CallingClient | null): void => {
    if (client === null) throw unauthenticated();
    exchange.client = client;
  };
  return (exchange, next) => {
    const { scheme } = exchange.operation.auth;
    if (scheme === "none") return next();
    const match = (scheme === "projectCredential" ? projectCredential : platformSession).exec(
      exchange.request.headers.authorization ?? "",
    );
    const [, id, secret] = match ?? [];
    if (id === undefined || secret === undefined) throw unauthenticated();
    // From here on, only the hash of the secret is used.
    const secretSha256 = hash("sha256", secret, "hex");
    if (scheme === "platformSession") {
      return authenticateSession(upstreams, id, secretSha256, exchange).then((session) => {
        exchange.session = session;
        return next();
      });
    }
    const client = credentials.authenticate(id, secretSha256, exchange.network, () => callOptions(exchange));
    if (client instanceof Promise) {
      return client.then((found) => {
        beClient(exchange, found);
        return next();
      });
    }
    beClient(exchange, client);
    return next();
  };
}

async function authenticateSession(
  upstreams: Upstreams,
  sessionId: string,
  secretSha256: string,
  exchange: Exchange,
): Promise<CallingSession> {
  const reply = await upstreams.identity.authentication
    .authenticatePlatformSession({ sessionId, secretSha256: Buffer.from(secretSha256, "hex") }, callOptions(exchange))
    .catch((error: unknown) => {
      // The message of the service itself would distinguish an unknown session from a malformed one.
      throw isServiceError(error) && error.code === "unauthenticated" ? unauthenticated() : error;
    });
  if (reply.authenticatedAt === undefined) throw unauthenticated();
  return { id: reply.sessionId, accountId: reply.accountId, authenticatedAt: timestampDate(reply.authenticatedAt) };
}

function callOptions(exchange: Exchange): CallOptions {
  return {
    context: {
      correlationId: exchange.correlationId,
      operation: exchange.operation.id,
      projectClient: null,
      idempotency: null,
    },
    deadlineMs: exchange.deadlineMs,
    retryUnavailable: true,
  };
}

/** Rejects a disabled Project Client, and a credential without the operation's scope. */
export const authorizeScope: Stage = (exchange, next) => {
  const { auth } = exchange.operation;
  if (exchange.client?.isDisabled === true)
    throw new ServiceError("project_client_disabled", "An operator has disabled the Project Client.");
  if (auth.scheme === "projectCredential" && !exchange.client?.scopes.includes(auth.scope)) {
    throw new ServiceError("insufficient_scope", `The credential lacks the scope ${auth.scope}.`, {
      details: { required_scope: auth.scope },
    });
  }
  return next();
};
