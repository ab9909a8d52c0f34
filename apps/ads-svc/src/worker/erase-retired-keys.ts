import { isPrivateHalfDispensable } from "../domain/signing-key.ts";
import type { SigningKeyStore } from "../store/signing-keys.ts";

/**
 * Erases the private halves of retired keys with which no replica signs any more. Their public halves still verify
 * tokens. It can be repeated.
 */
export async function eraseRetiredKeys(store: SigningKeyStore, now: Date): Promise<number> {
  const keys = await store.listSigningKeys();
  const dispensable = keys.filter(
    (key, index) => key.sealedPrivateJwk !== null && isPrivateHalfDispensable(keys[index - 1] ?? null, now),
  );
  for (const { kid } of dispensable) await store.erasePrivateHalf(kid);
  return dispensable.length;
}
