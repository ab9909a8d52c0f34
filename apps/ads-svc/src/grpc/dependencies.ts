import type { Keyring } from "@platform/kit/process/secrets";
import type { DisabledClients } from "@platform/operator-plane/clients";
import type { UsageReporter } from "@platform/operator-plane/usage";
import type { ImpressionLedger } from "../ledger/impression-ledger.ts";
import type { LedgerMetrics } from "../ledger/ledger-metrics.ts";
import type { AdsStore } from "../store/ads-store.ts";
import type { DecisionTokens } from "../tokens/decision-tokens.ts";
import type { SigningKeyRing } from "../tokens/signing-key-ring.ts";
import type { CampaignFinder } from "./find-campaign.ts";

/** Dependencies of the RPCs. */
export type AdsDependencies = {
  readonly store: AdsStore;
  readonly ledger: ImpressionLedger;
  /** Counts rejected reports by campaign and reason. */
  readonly refusals: Pick<UsageReporter, "count">;
  readonly keys: SigningKeyRing;
  readonly tokens: DecisionTokens;
  readonly campaignFinder: CampaignFinder;
  readonly disabledClients: Pick<DisabledClients, "has">;
  readonly keyring: Keyring;
  readonly metrics: LedgerMetrics;
  readonly clock: () => Date;
};
