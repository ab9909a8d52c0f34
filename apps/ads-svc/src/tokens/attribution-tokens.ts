import { constantTimeEqual, deriveToken, type Keyring, recover } from "@platform/kit/process/secrets";

const purpose = "ads-attribution";
const form = /^attr_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([0-9a-f]{64})$/;

/**
 * Creates a token that identifies an impression for the attribution of a later conversion: `attr_<32 hex id>_<64 hex
 * HMAC-SHA-256>`. The token is derived from the id, so nothing has to be stored, and every response to the same
 * decision contains the same token. It depends on a secret key, so it cannot be forged.
 */
export function attributionToken(keyring: Keyring, impressionId: string): string {
  return `attr_${impressionId.replaceAll("-", "")}_${deriveToken(keyring.current, purpose, impressionId)}`;
}

/** The impression id in an attribution token, or null if the platform did not create the token. */
export function readAttributionToken(keyring: Keyring, token: string): string | null {
  const match = form.exec(token);
  if (match === null) return null;
  const [, a, b, c, d, e, mac = ""] = match;
  const impressionId = `${a}-${b}-${c}-${d}-${e}`;
  const known = recover(
    keyring,
    (key) => deriveToken(key, purpose, impressionId),
    (own) => constantTimeEqual(own, mac),
  );
  return known === null ? null : impressionId;
}
