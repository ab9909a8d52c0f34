import type { ServiceName } from "@platform/contracts/services";
import type { CallOptions, GrpcConnection } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { StoredSession } from "./session-file.ts";

/** A new assertion is requested this long before the current one expires. */
const earlyMs = 60_000;

/** An assistant that calls for the person who is signed in. It never has the break-glass token. */
export type Assistant = {
  readonly via: string;
  /** The only Project Client that its calls may concern; null if they may concern all. */
  readonly onlyClientId: string | null;
};

/** A signed assertion, and the values that it was signed for. */
type Assertion = {
  readonly text: string;
  readonly untilMs: number;
  readonly sessionToken: string;
  readonly reason: string | undefined;
};

/**
 * Creates the authorization of calls: a fresh assertion of the session if someone is signed in, otherwise the break-glass token.
 * @param identity identity-svc, called without credentials
 */
export function createAuthorization(options: {
  readonly session: () => StoredSession | null;
  readonly identity: () => GrpcConnection;
  readonly operatorToken: (service: ServiceName) => string | undefined;
  readonly call: () => CallOptions;
  readonly reason: () => string | undefined;
  readonly assistant: Assistant | null;
}): (service: ServiceName) => () => Promise<Record<string, string>> {
  const { identity, operatorToken, call, reason, assistant } = options;
  let known: Assertion | null = null;
  const isFresh = (session: StoredSession, why: string | undefined): boolean =>
    known !== null &&
    known.sessionToken === session.session_token &&
    known.reason === why &&
    // An assertion expires at a time of the wall clock.
    known.untilMs >= Date.now();
  return (service) => async () => {
    const why = reason();
    const session = options.session();
    if (session === null) {
      if (assistant !== null)
        throw new ServiceError("unauthenticated", "Nobody is signed in; run platformctl login in a terminal.");
      return {
        authorization: `Bearer ${operatorToken(service) ?? ""}`,
        // gRPC metadata must be ASCII, but a reason may contain any text.
        ...(why === undefined ? {} : { "x-operator-reason": encodeURIComponent(why) }),
      };
    }
    if (!isFresh(session, why)) {
      // The module is loaded only if someone is signed in.
      const { OperatorAccessService } = await import("@platform/proto/identity/v1/operator_access");
      const signed = await identity()
        .service(OperatorAccessService)
        .createOperatorAssertion(
          {
            sessionToken: session.session_token,
            reason: why ?? "",
            requestId: call().context.correlationId,
            via: assistant?.via ?? "",
            onlyProjectClientId: assistant?.onlyClientId ?? "",
          },
          { ...call(), retryUnavailable: true },
        );
      if (assistant !== null && assistant.onlyClientId !== null)
        requireOnlyClient(signed.assertion, assistant.onlyClientId);
      const untilMs = Number(signed.expiresAt?.seconds ?? 0n) * 1000 - earlyMs;
      known = { text: signed.assertion, untilMs, sessionToken: session.session_token, reason: why };
    }
    return { authorization: `Bearer ${known?.text ?? ""}` };
  };
}

/**
 * Throws unless an assertion is limited to this Project Client: an older identity-svc ignores the limit, and signs an
 * assertion for all clients.
 */
function requireOnlyClient(assertion: string, clientId: string): void {
  const [, payload = ""] = assertion.split(".");
  const { only_client } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { only_client?: string };
  if (only_client !== clientId)
    throw new Error(
      "this platform does not support sessions for a single project yet; start platformctl mcp without --client",
    );
}
