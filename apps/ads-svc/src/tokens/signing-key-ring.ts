import { setTimeout as delay } from "node:timers/promises";
import { type Keyring, keyIdOf, newId, open, seal } from "@platform/kit/process/secrets";
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { type KeyLife, type KeyStatus, keyCacheMs, keyStatus, verifiesUntil } from "../domain/signing-key.ts";
import type { SigningKeyStore, StoredSigningKey } from "../store/signing-keys.ts";

/** A signing key as operators see it. */
export type SigningKeyInfo = KeyLife & {
  readonly status: KeyStatus;
  readonly verifiesUntil: Date | null;
  readonly publicJwkJson: string;
};

export type SigningKeyRing = {
  /** Returns the active key. If the service key cannot decrypt it, a new one is created. */
  active(): Promise<{ kid: string; privateKey: CryptoKey }>;
  /** Returns the public key for a kid whose tokens are currently accepted, and null for any other kid. */
  verifier(kid: string): Promise<CryptoKey | null>;
  /** Creates a key and activates it. */
  rotate(): Promise<SigningKeyInfo>;
  /**
   * Rejects all tokens of a key from now on: immediately in this process, and within `keyCacheMs` on other replicas.
   */
  revoke(kid: string): Promise<void>;
  /** Lists all keys, newest first. */
  list(): Promise<SigningKeyInfo[]>;
};

type LoadedKey = {
  readonly stored: StoredSigningKey;
  readonly successor: StoredSigningKey | null;
  readonly publicKey: CryptoKey;
};
type LoadedKeys = {
  readonly newest: StoredSigningKey | null;
  readonly byKid: ReadonlyMap<string, LoadedKey>;
  readonly atMs: number;
};

/**
 * Minimum time between two reads of the keys because of an unknown kid, in milliseconds, so that tokens with invented
 * kids do not cost a query each.
 */
const unknownKidReadMs = 1_000;

const algorithm = "EdDSA";
/** Purpose under which the private half of a key is encrypted. */
export const sealPurpose = (kid: string): string => `ads-signing-key:${kid}`;

/**
 * Caches the signing keys. A key is imported once, and the list is read again every few seconds, so that rotations
 * and revocations take effect.
 */
export function createSigningKeyRing(options: {
  readonly store: SigningKeyStore;
  readonly keyring: Keyring;
  readonly clock: () => Date;
}): SigningKeyRing {
  const { store, keyring, clock } = options;
  let loading: Promise<LoadedKeys> | null = null;
  let loaded: LoadedKeys | null = null;
  let nextRead: Promise<LoadedKeys> | null = null;
  let lastReadMs = Number.NEGATIVE_INFINITY;
  let creating: Promise<LoadedKeys> | null = null;
  const privateKeys = new Map<string, CryptoKey>();
  const publicKeys = new Map<string, CryptoKey>();

  const load = async (): Promise<LoadedKeys> => {
    const stored = await store.listSigningKeys();
    const entries = stored.map(async (key, index): Promise<[string, LoadedKey]> => {
      const publicKey = publicKeys.get(key.kid) ?? (await importKey(key.publicJwkJson));
      publicKeys.set(key.kid, publicKey);
      return [key.kid, { stored: key, successor: stored[index - 1] ?? null, publicKey }];
    });
    return { newest: stored[0] ?? null, byKid: new Map(await Promise.all(entries)), atMs: performance.now() };
  };

  /**
   * Returns the keys as they were read at most `ageMs` ago. With 0, they are read now, so that they include any write
   * before this call.
   */
  const keysAtMost = async (ageMs: number): Promise<LoadedKeys> => {
    if (ageMs === 0) {
      loaded = await load();
      return loaded;
    }
    if (loaded !== null && performance.now() - loaded.atMs < ageMs) return loaded;
    loading ??= load().finally(() => {
      loading = null;
    });
    loaded = await loading;
    return loaded;
  };

  /**
   * Returns keys that were read after this call, so that a missing kid is certainly unknown. Concurrent callers share
   * a read. With an older read, requests with invented kids could cause tokens of a new key to be rejected.
   */
  const keysReadFromNow = (): Promise<LoadedKeys> => {
    nextRead ??= delay(Math.max(0, lastReadMs + unknownKidReadMs - performance.now())).then(async () => {
      nextRead = null;
      lastReadMs = performance.now();
      loaded = await load();
      return loaded;
    });
    return nextRead;
  };

  const insertSuccessor = async (newest: StoredSigningKey | null): Promise<boolean> => {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: "Ed25519", extractable: true });
    const kid = newId();
    return await store.insertSigningKey({
      kid,
      generation: (newest?.generation ?? 0) + 1,
      publicJwkJson: JSON.stringify(await exportJWK(publicKey)),
      sealedPrivateJwk: seal(keyring, sealPurpose(kid), JSON.stringify(await exportJWK(privateKey))),
      createdAt: clock(),
      revokedAt: null,
    });
  };

  const keyIds = [keyring.current, ...keyring.previous].map(keyIdOf);
  /**
   * Returns whether a service key of the ring can decrypt the private key. Without it, the key no longer signs, but its
   * tokens stay valid, because its public key is not encrypted.
   */
  const isSealedByUs = ({ sealedPrivateJwk }: StoredSigningKey): boolean =>
    sealedPrivateJwk === null || keyIds.some((keyId) => sealedPrivateJwk.startsWith(`${keyId}.`));

  const info = ({ stored, successor }: LoadedKey): SigningKeyInfo => ({
    kid: stored.kid,
    generation: stored.generation,
    createdAt: stored.createdAt,
    revokedAt: stored.revokedAt,
    publicJwkJson: stored.publicJwkJson,
    status: keyStatus(stored, successor, clock()),
    verifiesUntil: verifiesUntil(stored, successor),
  });

  return {
    active: async () => {
      let { newest } = await keysAtMost(keyCacheMs);
      if (newest === null || !isSealedByUs(newest)) {
        // All requests that wait for the key share its creation. If another process has created the next generation
        // first, its key is used.
        creating ??= insertSuccessor(newest)
          .then(() => keysAtMost(0))
          .finally(() => {
            creating = null;
          });
        ({ newest } = await creating);
      }
      if (newest === null || newest.sealedPrivateJwk === null) throw new Error("there is no key to sign with");
      const known = privateKeys.get(newest.kid);
      if (known !== undefined) return { kid: newest.kid, privateKey: known };
      const privateKey = await importKey(open(keyring, sealPurpose(newest.kid), newest.sealedPrivateJwk));
      privateKeys.clear();
      privateKeys.set(newest.kid, privateKey);
      return { kid: newest.kid, privateKey };
    },
    verifier: async (kid) => {
      const cached = await keysAtMost(keyCacheMs);
      const key = cached.byKid.get(kid) ?? (await keysReadFromNow()).byKid.get(kid);
      if (key === undefined) return null;
      const status = keyStatus(key.stored, key.successor, clock());
      return status === "active" || status === "retired" ? key.publicKey : null;
    },
    rotate: async () => {
      const { newest } = await keysAtMost(0);
      // If this returns false, another rotation was faster. Its key is as new as the requested one.
      await insertSuccessor(newest);
      const { byKid } = await keysAtMost(0);
      const [key] = byKid.values();
      if (key === undefined) throw new Error("the new signing key is not there");
      return info(key);
    },
    revoke: async (kid) => {
      await store.revokeSigningKey(kid, clock());
      await keysAtMost(0);
    },
    list: async () => [...(await keysAtMost(0)).byKid.values()].map(info),
  };
}

async function importKey(jwkJson: string): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(jwkJson) as JWK, algorithm);
  if (key instanceof Uint8Array) throw new Error("a signing key is not an asymmetric key");
  return key;
}
