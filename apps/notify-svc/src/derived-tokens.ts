import { deriveToken, hashToken, type Keyring, recoverToken } from "@platform/kit/process/secrets";

/**
 * Derives tokens for processes that send them. Only the hash of a token is stored, so another process could not read
 * it.
 */
export type DerivedTokens = {
  /** Hash of the verification token of an endpoint's generation, under the current key. */
  verificationHash(endpointId: string, generation: number): string;
  /** The verification token with the given hash, or null if no key of the ring derives it. */
  verification(endpointId: string, generation: number, hash: string): string | null;
  /** Hash of the token of a delivery's unsubscribe link, under the current key. */
  unsubscribeHash(deliveryId: string): string;
  /** The unsubscribe token with the given hash; null when no key of the ring derives it. */
  unsubscribe(deliveryId: string, hash: string): string | null;
  /** Hash of the token in the link with which a person restores consent, under the current key. */
  resubscribeHash(endpointId: string, generation: number): string;
  /** The token of such a link with the given hash; null if no key of the ring derives it. */
  resubscribe(endpointId: string, generation: number, hash: string): string | null;
};

/**
 * Derives tokens from the service key. Tokens of previous keys are recognized as long as the ring contains their key.
 */
export function createDerivedTokens(keyring: Keyring): DerivedTokens {
  const generationId = (endpointId: string, generation: number): string => `${endpointId}:${generation}`;
  const purposes = {
    verification: "endpoint-verification",
    unsubscribe: "unsubscribe",
    resubscribe: "resubscribe",
  } as const;
  return {
    verificationHash: (endpointId, generation) =>
      hashToken(deriveToken(keyring.current, purposes.verification, generationId(endpointId, generation))),
    verification: (endpointId, generation, hash) =>
      recoverToken(keyring, purposes.verification, generationId(endpointId, generation), hash),
    unsubscribeHash: (deliveryId) => hashToken(deriveToken(keyring.current, purposes.unsubscribe, deliveryId)),
    unsubscribe: (deliveryId, hash) => recoverToken(keyring, purposes.unsubscribe, deliveryId, hash),
    resubscribeHash: (endpointId, generation) =>
      hashToken(deriveToken(keyring.current, purposes.resubscribe, generationId(endpointId, generation))),
    resubscribe: (endpointId, generation, hash) =>
      recoverToken(keyring, purposes.resubscribe, generationId(endpointId, generation), hash),
  };
}
