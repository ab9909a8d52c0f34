import type { Keyring } from "@platform/kit/process/secrets";
import type { Approvals } from "@platform/operator-plane/operators";
import type { AssertionSigner } from "@platform/operator-plane/operators/assertions";
import type { Quota } from "@platform/quota/quota";
import type { CredentialUses } from "./credential-uses.ts";
import type { ShownBrand } from "./domain/brand.ts";
import type { QuotaDefaults } from "./domain/quota-defaults.ts";
import type { IdentityMetrics } from "./identity-metrics.ts";
import type { Passwords } from "./operations/passwords.ts";
import type { SignInProviders } from "./operations/sign-in-providers.ts";
import type { AnnounceChange } from "./redis/announce-changes.ts";
import type { Stores } from "./store/create-stores.ts";

/** Dependencies of the RPCs and pages of identity-svc. */
export type IdentityContext = Stores & {
  readonly quota: Pick<Quota, "used">;
  readonly quotaDefaults: QuotaDefaults;
  readonly credentialUses: CredentialUses;
  readonly passwords: Passwords;
  readonly announceChange: AnnounceChange;
  readonly metrics: IdentityMetrics;
  readonly keyring: Keyring;
  /** Signs the assertions that operators present to every service. */
  readonly assertions: AssertionSigner;
  /** Requests and uses approvals of acts that need a second person. */
  readonly secondPerson: Approvals;
  /** Where operators and the members of projects sign in. */
  readonly signIn: SignInProviders;
  /** How old an authentication may be to count as recent. */
  readonly recentAuthenticationSeconds: number;
  /** Public URL of the gateway, without a slash at the end. */
  readonly publicBaseUrl: string;
  /** Aborts when the process stops, so that streams end. */
  readonly closing: AbortSignal;
  /** The brand of pages and emails for projects without one. */
  readonly platformBrand: ShownBrand;
  /** Returns the current time. Tests replace it to control time. */
  readonly clock: () => Date;
};
