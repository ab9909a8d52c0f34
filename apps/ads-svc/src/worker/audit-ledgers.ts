import type { Sweep } from "@platform/kit/jobs/work";
import type { Logger } from "@platform/kit/process/telemetry";
import type { Campaign } from "../domain/campaign.ts";
import { auditLedger } from "../ledger/audit-ledger.ts";
import type { AdsStore } from "../store/ads-store.ts";

const pageSize = 500;

/**
 * Checks the entries that were appended to every ledger since the last audit, and advances each campaign's position
 * over correct entries. It repairs nothing: a fault means that someone has changed the data, and is reported to
 * operators.
 * @returns the number of campaigns with a fault
 */
export async function auditLedgers(
  store: AdsStore,
  sweep: Sweep,
  logger: Logger,
  signal: AbortSignal,
): Promise<number> {
  const run = await sweep.begin(signal);
  let faults = 0;
  const auditOne = async (campaign: Campaign): Promise<void> => {
    const audited = await store.campaigns.auditedOrdinal(campaign.id);
    const audit = await auditLedger(store.impressions, campaign, audited, signal);
    if (audit.impressions > audited) await store.campaigns.advanceAudit(campaign.id, audit.impressions);
    if (audit.fault === null) return;
    faults += 1;
    logger.error({ resource_id: campaign.id, reason: audit.fault.reason }, "a campaign ledger was tampered with");
  };
  let afterId = "";
  while (run.goesOn()) {
    const campaigns = await store.campaigns.listCampaigns(null, afterId, pageSize);
    for (const campaign of campaigns) {
      if (!run.goesOn()) return faults;
      await run.attempt(campaign.id, () => auditOne(campaign));
    }
    if (campaigns.length < pageSize) {
      await run.end();
      break;
    }
    afterId = campaigns.at(-1)?.id ?? "";
  }
  return faults;
}
