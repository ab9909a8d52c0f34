/** What a project backend presents. The secret is not in it: only its SHA-256 is kept, in the store. */
export type ProjectCredential = {
  /** 32 lowercase hex characters. */
  readonly id: string;
  readonly project_client_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly rotated_to_id: string | null;
};

/** How long a rotated credential goes on working unless the operator says otherwise, in seconds. */
export const rotationOverlapSeconds = 24 * 60 * 60;

/** May it still be presented? */
export function isCredentialUsable(
  credential: Pick<ProjectCredential, "expires_at" | "revoked_at">,
  now: Date,
): boolean {
  return credential.revoked_at === null && (credential.expires_at === null || credential.expires_at > now);
}

/** Is it a scope's form, `resource:act`? Which scopes exist is the public contract's to say. */
export function isScope(text: string): boolean {
  return text.length <= 64 && /^[a-z][a-z-]*:[a-z]+$/.test(text);
}
