import type { Keyring } from "@platform/kit/process/secrets";
import { expect, it } from "vitest";
import type { SigningKeyStore, StoredSigningKey } from "../store/signing-keys.ts";
import { createSigningKeyRing } from "./signing-key-ring.ts";

const keyring: Keyring = { current: new Uint8Array(32).fill(1), previous: [] };

/** A store in memory that counts its inserts. */
function countingStore() {
  const keys: StoredSigningKey[] = [];
  let inserts = 0;
  const store: SigningKeyStore = {
    listSigningKeys: async () => keys.toReversed(),
    insertSigningKey: async (key) => {
      inserts += 1;
      if (keys.some(({ generation }) => generation === key.generation)) return false;
      keys.push(key);
      return true;
    },
    revokeSigningKey: async () => {},
    erasePrivateHalf: async () => {},
  };
  return { store, keys, inserts: () => inserts };
}

it("creates one key for all requests that need the first key at the same time", async () => {
  const { store, inserts } = countingStore();
  const ring = createSigningKeyRing({ store, keyring, clock: () => new Date() });
  const keys = await Promise.all(Array.from({ length: 100 }, () => ring.active()));
  expect(inserts()).toBe(1);
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(1);
});

it("creates a key again when the service key has been replaced", async () => {
  const { store, keys, inserts } = countingStore();
  const clock = () => new Date();
  const before = await createSigningKeyRing({ store, keyring, clock }).active();
  const replaced = { current: new Uint8Array(32).fill(2), previous: [] };
  const ring = createSigningKeyRing({ store, keyring: replaced, clock });
  const [one, other] = await Promise.all([ring.active(), ring.active()]);
  expect(one.kid).not.toBe(before.kid);
  expect(other.kid).toBe(one.kid);
  expect(inserts()).toBe(2);
  expect(keys.map(({ generation }) => generation)).toEqual([1, 2]);
});

it("creates a key at the next request when the store has refused the first one", async () => {
  const { store, inserts } = countingStore();
  let isDown = true;
  const failing: SigningKeyStore = {
    ...store,
    insertSigningKey: async (key) => {
      if (isDown) throw new Error("the store is not available");
      return store.insertSigningKey(key);
    },
  };
  const ring = createSigningKeyRing({ store: failing, keyring, clock: () => new Date() });
  await expect(ring.active()).rejects.toThrow("the store is not available");
  isDown = false;
  await ring.active();
  expect(inserts()).toBe(1);
});
