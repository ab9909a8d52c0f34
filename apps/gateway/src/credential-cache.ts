import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import { identityChangesChannel, readIdentityChange } from "@platform/operator-plane/clients";
import type { channelFollower } from "@platform/quota/follow-channel";
import { LRUCache } from "lru-cache";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { CallingClient } from "./handler.ts";
import type { Upstreams } from "./upstreams.ts";
import { credentialOwner } from "./usage-report.ts";

/**
 * Authenticates Project Credentials, if possible from memory. Secrets are passed as SHA-256 in hex, because strings
 * cost the garbage collector less than Buffers.
 */
export type CredentialCache = {
  /**
   * Returns the Project Client of a credential, even if it is disabled, or null if the credential is unusable. Returns a promise only if identity-svc has to be called.
   * @param network the network that presents the credential
   */
  authenticate(
    credentialId: string,
    secretSha256: string,
    network: string,
    call: () => CallOptions,
  ): CallingClient | null | Promise<CallingClient | null>;
  /** Removes the entries that a change message concerns, or all entries if the message cannot be read. */
  drop(message: string): void;
  clear(): void;
};

type Entry = { readonly client: CallingClient; readonly expiresAtMs: number };

const entriesMax = 20_000;
const refusedEntriesMax = 2_000;
const refusedMs = 1_000;

/** With 0, the cache reads the clock at each look-up. By default, it would reuse the time for a millisecond. */
const ttlResolution = 0;

/**
 * Creates a cache that keeps authentications for at most `ttlMs` (≤ 5 s), so that a revocation takes effect within that
 * time even without the push channel. A limited number of rejections is cached for a second, so that guessing neither
 * loads identity-svc nor fills memory.
 */
export function createCredentialCache(options: {
  upstreams: Upstreams;
  metrics: GatewayMetrics;
  ttlMs: number;
}): CredentialCache {
  const { upstreams, metrics, ttlMs } = options;
  const entries = new LRUCache<string, Entry>({ max: entriesMax, ttl: Math.max(1, ttlMs), ttlResolution });
  const refused = new LRUCache<string, true>({ max: refusedEntriesMax, ttl: refusedMs, ttlResolution });
  // A look-up that is in progress when a change is announced may have read the state before it. Its result is returned,
  // but not cached.
  let generation = 0;
  const lookUps = new Map<string, Promise<Entry | null>>();

  // A credential expires at a time of the wall clock.
  const usable = ({ client, expiresAtMs }: Entry): CallingClient | null => (expiresAtMs <= Date.now() ? null : client);

  const lookUp = async (
    presented: { readonly credentialId: string; readonly secretSha256: string; readonly network: string },
    call: CallOptions,
  ): Promise<Entry | null> => {
    const { credentialId, secretSha256, network } = presented;
    try {
      const reply = await upstreams.identity.authentication.authenticateProjectCredential(
        { credentialId, secretSha256: Buffer.from(secretSha256, "hex"), network },
        call,
      );
      const project = reply.projectClient;
      if (project === undefined) return null;
      const quotaLimits = Object.fromEntries(
        Object.entries(project.quotaLimits).map(([resource, limit]) => [resource, Number(limit)]),
      );
      const { id, name, environment, disabled: isDisabled, successRatio = null } = project;
      return {
        client: {
          id,
          name,
          environment,
          scopes: reply.scopes,
          credentialId,
          credentialOwner: credentialOwner(id, credentialId),
          isDisabled,
          successRatio,
          quotaLimits,
        },
        expiresAtMs:
          reply.expiresAt === undefined ? Number.POSITIVE_INFINITY : timestampDate(reply.expiresAt).getTime(),
      };
    } catch (error) {
      if (isServiceError(error, "unauthenticated")) return null;
      throw error;
    }
  };

  /** Concurrent requests with the same credential share a look-up, unless a change was announced since it started. */
  const lookUpOnce = (key: string, begin: () => Promise<Entry | null>): Promise<Entry | null> => {
    const asOf = generation;
    const sharedKey = `${asOf}:${key}`;
    const running = lookUps.get(sharedKey);
    if (running !== undefined) return running;
    const lookingUp = begin()
      .then((entry) => {
        metrics.credentialLookups.inc({ result: entry === null ? "refused" : "identity" });
        if (entry === null) refused.set(key, true);
        else if (generation === asOf && ttlMs > 0) entries.set(key, entry);
        return entry;
      })
      .finally(() => lookUps.delete(sharedKey));
    lookUps.set(sharedKey, lookingUp);
    return lookingUp;
  };

  /** The key contains the hash of the secret, so a different secret for the same credential has its own entry. */
  const keyOf = (credentialId: string, secretSha256: string): string => `${credentialId}:${secretSha256}`;

  return {
    authenticate: (credentialId, secretSha256, network, call) => {
      const key = keyOf(credentialId, secretSha256);
      const known = entries.get(key);
      if (known !== undefined) {
        metrics.credentialLookups.inc({ result: "cache" });
        return usable(known);
      }
      if (refused.has(key)) return null;
      const lookingUp = lookUpOnce(key, () => lookUp({ credentialId, secretSha256, network }, call()));
      return lookingUp.then((entry) => (entry === null ? null : usable(entry)));
    },
    drop: (message) => {
      generation += 1;
      const change = readIdentityChange(message);
      if (change === null) {
        entries.clear();
        return;
      }
      for (const [key, entry] of entries.entries()) {
        const id = change.kind === "client" ? entry.client.id : entry.client.credentialId;
        if (id === change.id) entries.delete(key);
      }
    },
    clear: () => {
      generation += 1;
      entries.clear();
    },
  };
}

/**
 * Removes cached authentications when identity-svc announces changes. Each new subscription removes all entries,
 * because messages may have been missed. While there is no subscription, a revocation takes effect when the cached
 * entry expires.
 */
export function followIdentityChanges(
  follow: ReturnType<typeof channelFollower>,
  cache: CredentialCache,
): { close(): void } {
  return follow(identityChangesChannel, { onMessage: cache.drop, onSubscribed: cache.clear });
}
