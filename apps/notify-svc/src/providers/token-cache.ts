type Cached<T> = {
  readonly token: T;
  readonly createdAtMs: number;
  /** True if it was created because the provider rejected the previous one. */
  readonly isRenewal: boolean;
};

/**
 * Tokens by which a profile authenticates at its provider, kept while they may be used. Their times are compared with the provider's clock, so they
 * are wall-clock times: a token that was created in the future, because the clock was set back since, counts as stale.
 * @param options.useMs how long a token is used
 * @param options.renewMs least time between two renewals after a refusal
 * @param options.max tokens kept, the oldest first out
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
    /** The token kept under a name, or a new one. */
    get: (name: string, create: () => T): T => {
      const known = tokens.get(name);
      return known !== undefined && isYoungerThan(known, useMs) ? known.token : keep(name, create(), false);
    },
    /**
     * Another token in the place of one that the provider has refused: the one that replaced it meanwhile, or a new one. Null when the refused token was
     * itself a renewal less than `renewMs` ago: then the credentials are at fault, and further tokens would be refused as well.
     */
    renew: (name: string, refused: T, create: () => T): T | null => {
      const known = tokens.get(name);
      if (known === undefined) return keep(name, create(), true);
      if (known.token !== refused) return known.token;
      return known.isRenewal && isYoungerThan(known, renewMs) ? null : keep(name, create(), true);
    },
    /** Discards the tokens whose names begin with a text. */
    forget: (prefix: string): void => {
      for (const name of tokens.keys()) if (name.startsWith(prefix)) tokens.delete(name);
    },
  };
}
