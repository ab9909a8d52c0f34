import { z } from "zod";

/** Maximum wait for a response of the identity provider, in milliseconds. */
export const providerMsMax = 5_000;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * Reads an OpenID Provider's configuration (OpenID Connect Discovery 1.0, section 4).
 * @throws Error if it cannot be read in time, or belongs to another issuer
 */
export async function discoverProvider(issuer: string): Promise<z.output<typeof discoverySchema>> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(providerMsMax) });
  if (!response.ok) throw new Error(`the identity provider answered ${response.status}`);
  const configuration = discoverySchema.parse(await response.json());
  if (configuration.issuer !== issuer) throw new Error("the identity provider names another issuer");
  return configuration;
}
