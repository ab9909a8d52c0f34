import type { ProjectClient } from "./project-client.ts";

/** A Project Credential without its secret. The store keeps only the SHA-256 of the secret. */
export type ProjectCredential = {
  /** The id, which consists of 32 lowercase hex characters. */
  readonly id: string;
  readonly project_client_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  /** The network that it was last used from: an IPv4 address, or the /64 of an IPv6 one. */
  readonly last_used_network?: string;
  readonly rotated_to_id: string | null;
};

/** Time at which a credential was used, and the network from which it was used; empty if that is unknown. */
export type CredentialUse = { readonly at: Date; readonly network: string };

/** Default overlap of a rotated credential, in seconds. */
export const rotationOverlapSeconds = 24 * 60 * 60;

/** Returns whether the credential is still valid. */
export function isCredentialUsable(
  credential: Pick<ProjectCredential, "expires_at" | "revoked_at">,
  now: Date,
): boolean {
  return credential.revoked_at === null && (credential.expires_at === null || credential.expires_at > now);
}

/**
 * The scopes of a credential that its client also allows. If an operator removes a scope from a client, the client's
 * credentials lose it; if the client regains it, so do they.
 */
export function allowedScopesOf(
  { scopes }: Pick<ProjectCredential, "scopes">,
  { allowed_scopes }: Pick<ProjectClient, "allowed_scopes">,
): string[] {
  return scopes.filter((scope) => allowed_scopes === undefined || allowed_scopes.includes(scope));
}

/** Checks the form of a scope, `resource:act`. The public contract lists the scopes. */
export function isScope(text: string): boolean {
  return text.length <= 64 && /^[a-z][a-z-]*:[a-z]+$/.test(text);
}
