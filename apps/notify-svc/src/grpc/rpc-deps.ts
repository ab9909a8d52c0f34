import type { AttachedFiles } from "../attached-files.ts";
import type { DerivedTokens } from "../derived-tokens.ts";
import type { Stores } from "../store/stores.ts";

/** Dependencies of the RPCs. */
export type RpcDeps = {
  readonly stores: Stores;
  readonly tokens: DerivedTokens;
  /** The File Objects that are attached to emails. */
  readonly files: Pick<AttachedFiles, "sizes">;
  readonly clock: () => Date;
  /** Addresses and address blocks that web push endpoints may have in addition to public ones. */
  readonly outboundAllow: readonly string[];
  /** True if an SMTP server is configured for email profiles that name none. */
  readonly hasDefaultSmtp: boolean;
};
