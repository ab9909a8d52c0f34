type Cached<T> = {
  readonly token: T;
  readonly createdAtMs: number;
  /** True if it was created because the provider rejected the previous one. */
  readonly isRenewal: boolean;
};

/**
 * Caches the tokens with which a profile authenticates at its provider, for as long as they may be used. The provider
 * compares their times with its own clock, so they are wall-clock times. A token from the future counts as stale: the
 * clock was set back after it was created.
 * @param options.useMs how long a token is used
 * @param options.renewMs minimum time between two renewals after a rejection
 * @param options.max maximum number of tokens; the oldest is dropped first
 */
export function createTokenCache<T>(options: {
  readonly useMs: number;
  readonly renewMs: number;
  readonly max: number;
  readonly clock: () => Date;
}) {
  const { useMs, renewMs, max, clock } = options;
  const tokens = new Map<string, Cached<T>>();
  const keep = (name: string, token: T, isRenewal: boolean): T => {
    tokens.delete(name);
    tokens.set(name, { token, createdAtMs: clock().getTime(), isRenewal });
    const [oldest] = tokens.keys();
    if (tokens.size > max && oldest !== undefined) tokens.delete(oldest);
    return token;
  };
  const isYoungerThan = ({ createdAtMs }: Cached<T>, ms: number): boolean => {
    const ageMs = clock().getTime() - createdAtMs;
    return ageMs >= 0 && ageMs < ms;
  };
  return {
    /** The token that is cached under a name, or a new one. */
    get: (name: string, create: () => T): T => {
      const known = tokens.get(name);
      return known !== undefined && isYoungerThan(known, useMs) ? known.token : keep(name, create(), false);
    },
    /**
     * Replaces a token that the provider has rejected. If another caller has already replaced it, that token is
     * returned. Null if the rejected token was itself a renewal less than `renewMs` ago: then the credentials may be
     * invalid, and further tokens would be rejected as well.
     */
    renew: (name: string, refused: T, create: () => T): T | null => {
      const known = tokens.get(name);
      if (known === undefined) return keep(name, create(), true);
      if (known.token !== refused) return known.token;
      return known.isRenewal && isYoungerThan(known, renewMs) ? null : keep(name, create(), true);
    },
    /** Returns how long `renew` will return null for the current token, in milliseconds. */
    renewableInMs: (name: string): number => {
      const known = tokens.get(name);
      if (known === undefined || !known.isRenewal || !isYoungerThan(known, renewMs)) return 0;
      return renewMs - (clock().getTime() - known.createdAtMs);
    },
    /** Discards the tokens whose names begin with a text. */
    forget: (prefix: string): void => {
      for (const name of tokens.keys()) if (name.startsWith(prefix)) tokens.delete(name);
    },
  };
}
