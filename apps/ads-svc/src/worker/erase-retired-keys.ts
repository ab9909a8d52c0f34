import { isPrivateHalfDispensable } from "../domain/signing-key.ts";
import type { SigningKeyStore } from "../store/signing-keys.ts";

/**
 * Erases the private keys of retired keys that no replica signs with any more; their public keys continue to verify
 * tokens. Safe to repeat.
 */
export async function eraseRetiredKeys(store: SigningKeyStore, now: Date): Promise<number> {
  const keys = await store.listSigningKeys();
  const dispensable = keys.filter(
    (key, index) => key.sealedPrivateJwk !== null && isPrivateHalfDispensable(keys[index - 1] ?? null, now),
  );
  for (const { kid } of dispensable) await store.erasePrivateHalf(kid);
  return dispensable.length;
}
