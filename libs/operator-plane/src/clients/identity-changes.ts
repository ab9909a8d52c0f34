/** Channel on which identity-svc announces changes to data that other processes may have cached. */
export const identityChangesChannel = "identity:changes";

/** A change. The id is the 32 hex characters of the credential or session, or the Project Client's UUID. */
export type IdentityChange = { readonly kind: "credential" | "client" | "session"; readonly id: string };

/**
 * Reads an announcement. Returns null if it cannot be read, because a later version may announce other kinds of
 * changes.
 */
export function readIdentityChange(message: string): { readonly kind: string; readonly id: string } | null {
  try {
    const { kind, id } = JSON.parse(message) as { kind?: unknown; id?: unknown };
    return typeof kind === "string" && typeof id === "string" ? { kind, id } : null;
  } catch {
    return null;
  }
}
