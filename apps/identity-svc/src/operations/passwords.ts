import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import argon2 from "argon2";
import pLimit from "p-limit";
import { normalizePassword } from "../domain/password-rule.ts";

/** Hashes passwords outside of the event loop, with limited concurrency. */
export type Passwords = {
  /** @returns the argon2id hash in the PHC string form */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password against a hash. With null (the account does not exist) it does the same work and returns false.
   */
  verify(password: string, passwordHash: string | null): Promise<boolean>;
};

/** Parameters that the OWASP Password Storage Cheat Sheet recommends: argon2id with 19 MiB, 2 passes and 1 lane. */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/**
 * Four concurrent hashes use all threads of libuv's pool. Each waiting hash holds a request open, so hashes beyond
 * `waitingMax` are rejected.
 */
const runningMax = 4;
const waitingMaxDefault = 200;

/** @param waitingMax maximum number of waiting hashes; further ones are rejected as dependency_unavailable */
export async function createPasswords(waitingMax: number = waitingMaxDefault): Promise<Passwords> {
  const limit = pLimit(runningMax);
  const bounded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount >= waitingMax) throw dependencyUnavailable();
    return limit(work);
  };
  const decoyHash = await argon2.hash(normalizePassword("no account has this password"), parameters);
  return {
    hash: (password) => bounded(() => argon2.hash(normalizePassword(password), parameters)),
    verify: (password, passwordHash) =>
      bounded(async () => {
        const matches = await argon2.verify(passwordHash ?? decoyHash, normalizePassword(password));
        return matches && passwordHash !== null;
      }),
  };
}
