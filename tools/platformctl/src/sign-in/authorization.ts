import type { ServiceName } from "@platform/contracts/services";
import type { CallOptions, GrpcConnection } from "@platform/kit/rpc/client";
import type { StoredSession } from "./session-file.ts";

/** An assertion is asked for again this long before it ends. */
const earlyMs = 60_000;

/**
 * What calls present: a fresh assertion of the session where somebody is signed in, else the break-glass token.
 * @param identity identity-svc, called without credentials
 */
export function createAuthorization(options: {
  readonly session: () => StoredSession | null;
  readonly identity: () => GrpcConnection;
  readonly operatorToken: (service: ServiceName) => string | undefined;
  readonly call: () => CallOptions;
  readonly reason: () => string | undefined;
}): (service: ServiceName) => () => Promise<Record<string, string>> {
  const { identity, operatorToken, call, reason } = options;
  let assertion: { readonly text: string; readonly untilMs: number } | null = null;
  return (service) => async () => {
    const why = reason();
    const session = options.session();
    if (session === null) {
      return {
        authorization: `Bearer ${operatorToken(service) ?? ""}`,
        // Metadata is ASCII, a reason any text.
        ...(why === undefined ? {} : { "x-operator-reason": encodeURIComponent(why) }),
      };
    }
    // An assertion ends at a time of the wall clock.
    if (assertion === null || assertion.untilMs < Date.now()) {
      // Loaded only where somebody is signed in.
      const { OperatorAccessService } = await import("@platform/proto/identity/v1/operator_access");
      const signed = await identity()
        .service(OperatorAccessService)
        .createOperatorAssertion(
          { sessionToken: session.session_token, reason: why ?? "", requestId: call().context.correlationId },
          { ...call(), retryUnavailable: true },
        );
      assertion = { text: signed.assertion, untilMs: Number(signed.expiresAt?.seconds ?? 0n) * 1000 - earlyMs };
    }
    return { authorization: `Bearer ${assertion.text}` };
  };
}
