import type { DerivedTokens } from "../derived-tokens.ts";
import type { Stores } from "../store/stores.ts";

/** What RPCs work with. */
export type RpcDeps = {
  readonly stores: Stores;
  readonly tokens: DerivedTokens;
  readonly clock: () => Date;
  /** Addresses and blocks web push endpoints may be at besides public ones. */
  readonly outboundAllow: readonly string[];
  /** Has the process an SMTP server for email profiles that name none? */
  readonly hasDefaultSmtp: boolean;
};
