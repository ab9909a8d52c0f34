/** The secrets of the form `<prefix>_<32 hex id>_<64 hex secret>`. */
export type SecretKeyPrefix = "pcred" | "psess" | "poper";

/** Returns the id that a secret key contains: the 32 lowercase hex characters of a UUID without its hyphens. */
export function secretKeyIdOf(uuid: string): string {
  return uuid.replaceAll("-", "").toLowerCase();
}

/** Composes a secret key, which is shown once. */
export function formatSecretKey(prefix: SecretKeyPrefix, id: string, secret: string): string {
  return `${prefix}_${id}_${secret}`;
}

/** Splits a presented secret key into its parts, or returns null if it does not have the right form. */
export function parseSecretKey(prefix: SecretKeyPrefix, presented: string): { id: string; secret: string } | null {
  const match = /^([a-z]+)_([0-9a-f]{32})_([0-9a-f]{64})$/.exec(presented);
  if (match === null || match[1] !== prefix) return null;
  return { id: match[2] ?? "", secret: match[3] ?? "" };
}
