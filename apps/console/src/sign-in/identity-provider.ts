import { defined } from "@platform/kit/process/fields";
import type { CallContext, ServiceClient } from "@platform/kit/rpc/client";
import { dependencyUnavailable, isServiceError } from "@platform/kit/rpc/errors";
import type { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import * as openid from "openid-client";
import { authenticateClient, type ClientAuthMethod } from "./client-authentication.ts";
import { isProviderOutage } from "./provider-refusal.ts";

/** Tolerated difference between the provider's clock and this one, in seconds. */
const clockSecondsMax = 60;
/** Longest wait for a response of the provider, in seconds. The default of the library is 30. */
const answerSecondsMax = 10;

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** The console's client at a provider. */
export type ProviderClient = {
  readonly clientId: string;
  /** Secret of the client; null for a public client. */
  readonly clientSecret: string | null;
  /** How the secret is sent; null to use a method that the provider announces. */
  readonly authMethod: ClientAuthMethod | null;
};

type Options = ProviderClient & {
  /** True for the provider of members, false for that of operators. */
  readonly forMembers: boolean;
  readonly redirectUri: string;
  readonly signedOutUri: string;
  readonly access: ServiceClient<typeof OperatorAccessService>;
  readonly context: () => CallContext;
};

const isLoopback = (url: URL): boolean => ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);

/**
 * Creates the client of an identity provider, whose address identity-svc provides. The provider's configuration is
 * discovered at the first sign-in, and again after a failure.
 */
export function createIdentityProvider(options: Options) {
  const { clientId, clientSecret, authMethod, forMembers, redirectUri, signedOutUri, access, context } = options;
  let found: Promise<{ configuration: openid.Configuration; scope: string }> | null = null;
  let origin: string | null = null;

  const discover = async () => {
    const { issuer, scope } = await access.getOperatorSignIn(
      { forMembers },
      { context: context(), retryUnavailable: true },
    );
    const url = new URL(issuer);
    const configuration = await openid.discovery(
      url,
      clientId,
      { ...defined({ client_secret: clientSecret }), [openid.clockTolerance]: clockSecondsMax },
      authenticateClient(clientSecret, authMethod),
      // Plain HTTP is allowed only to this machine, for the provider of the local stack.
      { execute: isLoopback(url) ? [openid.allowInsecureRequests] : [], timeout: answerSecondsMax },
    );
    const end = configuration.serverMetadata().end_session_endpoint;
    origin = end === undefined ? null : new URL(end).origin;
    return { configuration, scope };
  };
  const known = (): NonNullable<typeof found> => {
    found ??= discover().catch((error: unknown) => {
      found = null;
      throw isServiceError(error) ? error : dependencyUnavailable(error);
    });
    return found;
  };

  return {
    /** Returns the provider's origin, to which forms for signing out may continue, once it is known. */
    origin: (): string | null => {
      if (origin === null) void known().catch(() => {});
      return origin;
    },
    /**
     * Starts a sign-in. Returns the address for the browser, and the values with which the response is checked.
     * @param isFresh true if the person has to authenticate again, even if the provider still has a session
     */
    begin: async (isFresh = false) => {
      const { configuration, scope } = await known();
      const pending = {
        verifier: openid.randomPKCECodeVerifier(),
        state: openid.randomState(),
        nonce: openid.randomNonce(),
      };
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: "S256",
        state: pending.state,
        nonce: pending.nonce,
        ...(isFresh ? { max_age: "0" } : {}),
      });
      return { url, pending };
    },
    /**
     * Exchanges the code of a response for an ID token. Throws if the response does not belong to the sign-in.
     * @throws ServiceError dependency_unavailable while the provider cannot respond
     */
    finish: async (
      query: string,
      pending: { readonly state: string; readonly nonce: string; readonly verifier: string },
    ): Promise<string> => {
      const { configuration } = await known();
      const tokens = await openid
        .authorizationCodeGrant(configuration, new URL(`${redirectUri}${query}`), {
          pkceCodeVerifier: pending.verifier,
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw isProviderOutage(error) ? dependencyUnavailable(error) : error;
        });
      if (tokens.id_token === undefined) throw new Error("the provider answered without an ID token");
      return tokens.id_token;
    },
    /** Returns the address at which the browser ends its session at the provider; null if the provider has none. */
    signOutUrl: async (idToken: string): Promise<URL | null> => {
      const { configuration } = await known();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      return openid.buildEndSessionUrl(configuration, {
        id_token_hint: idToken,
        post_logout_redirect_uri: signedOutUri,
      });
    },
  };
}
