import * as openid from "openid-client";

/** Ways to send a client secret (OpenID Connect Core, section 9). */
export const clientAuthMethods = ["client_secret_basic", "client_secret_post", "client_secret_jwt"] as const;
export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/**
 * Chooses how the secret is sent: as configured, or else by the first method that the provider announces and the
 * console supports. A provider that announces no method accepts Basic (OpenID Connect Discovery, section 3).
 */
export function chooseAuthMethod(
  announced: readonly string[] | undefined,
  configured: ClientAuthMethod | null,
): ClientAuthMethod {
  if (configured !== null) return configured;
  return clientAuthMethods.find((method) => announced?.includes(method)) ?? "client_secret_basic";
}

/** Returns how the console authenticates at the provider's token endpoint. A public client has no secret. */
export function authenticateClient(secret: string | null, configured: ClientAuthMethod | null): openid.ClientAuth {
  if (secret === null) return openid.None();
  const methods: Readonly<Record<ClientAuthMethod, openid.ClientAuth>> = {
    client_secret_basic: openid.ClientSecretBasic(secret),
    client_secret_post: openid.ClientSecretPost(secret),
    client_secret_jwt: openid.ClientSecretJwt(secret),
  };
  return (server, ...rest) =>
    methods[chooseAuthMethod(server.token_endpoint_auth_methods_supported, configured)](server, ...rest);
}
