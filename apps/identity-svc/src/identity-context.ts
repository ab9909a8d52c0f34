import type { Quota } from "@platform/quota/quota";
import type { CredentialUses } from "./credential-uses.ts";
import type { QuotaDefaults } from "./domain/quota-defaults.ts";
import type { AnnounceChange } from "./redis/announce-changes.ts";
import type { Stores } from "./store/create-stores.ts";

/** What the RPCs and pages of identity-svc work with. */
export type IdentityContext = Stores & {
  readonly quota: Pick<Quota, "used">;
  readonly quotaDefaults: QuotaDefaults;
  readonly credentialUses: CredentialUses;
  readonly announceChange: AnnounceChange;
  /** The time, so that tests can move it. */
  readonly clock: () => Date;
};
