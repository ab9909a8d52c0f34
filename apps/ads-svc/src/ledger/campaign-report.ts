import type { Campaign } from "../domain/campaign.ts";
import { chargeNext } from "../domain/charge.ts";
import type { Impression } from "../domain/impression.ts";
import type { AdsStore } from "../store/ads-store.ts";
import { type ReportGrouping, type ReportPart, type ReportSum, reportGroupings } from "../store/campaign-reports.ts";
import { endAt, termsOfImpression } from "./audit-ledger.ts";

type Stores = Pick<AdsStore, "campaigns" | "impressions" | "campaignReports">;

/**
 * Number of impressions in one batch. Batches start at multiples of this number, so that a repeat after a crash
 * covers the same batch.
 */
const batchSize = 5_000;
const nothing: ReportSum = { impressions: 0, chargedMinor: 0, refused: 0 };

/**
 * Sums a campaign's impressions, sorted by key. The result consists of the stored sums of whole batches and of the
 * remaining entries.
 * @param signal stops the report between two batches
 */
export async function reportCampaign(
  stores: Stores,
  campaign: Campaign,
  by: ReportGrouping,
  signal: AbortSignal,
): Promise<(ReportSum & { readonly key: string })[]> {
  for (;;) {
    const folded = await foldBatches(stores, campaign, signal);
    const sums = await stores.campaignReports.read(campaign.id, by);
    const rest = await stores.impressions.listAfter(campaign.id, folded, batchSize);
    const isCurrent = (await stores.campaigns.reportedOrdinal(campaign.id)) === folded;
    // Another report has added a batch concurrently. It must not be counted twice, so the sums are read again.
    if (!isCurrent && !signal.aborted) continue;
    for (const part of await sumUp(stores, campaign, folded, rest)) {
      if (part.by === by) sums.set(part.key, add(sums.get(part.key) ?? nothing, part));
    }
    return [...sums].map(([key, sum]) => ({ key, ...sum })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

/** Adds every whole batch to the stored sums. @returns the last ordinal that the sums include */
async function foldBatches(stores: Stores, campaign: Campaign, signal: AbortSignal): Promise<number> {
  let folded = await stores.campaigns.reportedOrdinal(campaign.id);
  while (!signal.aborted) {
    const batch = await stores.impressions.listAfter(campaign.id, folded, batchSize);
    if (batch.length < batchSize) break;
    const through = folded + batchSize;
    await stores.campaignReports.addBatch(campaign.id, through, await sumUp(stores, campaign, folded, batch));
    await stores.campaigns.advanceReport(campaign.id, through);
    folded = through;
  }
  return folded;
}

async function sumUp(
  stores: Stores,
  campaign: Campaign,
  afterOrdinal: number,
  impressions: readonly Impression[],
): Promise<ReportPart[]> {
  const sums = new Map<string, ReportPart>();
  let end = await endAt(stores.impressions, campaign, afterOrdinal);
  for (const impression of impressions) {
    const next = chargeNext(termsOfImpression(campaign, impression), end);
    const isRefused = next.end.paid === end.paid;
    end = { ...next.end, isTracked: impression.chargeBasis !== null };
    const one = { impressions: 1, chargedMinor: impression.chargedMinor, refused: isRefused ? 1 : 0 };
    for (const by of reportGroupings) {
      const key = by === "day" ? impression.recordedAt.toISOString().slice(0, 10) : impression.placement;
      const name = `${by} ${key}`;
      sums.set(name, { by, key, ...add(sums.get(name) ?? nothing, one) });
    }
  }
  return [...sums.values()];
}

function add(a: ReportSum, b: ReportSum): ReportSum {
  return {
    impressions: a.impressions + b.impressions,
    chargedMinor: a.chargedMinor + b.chargedMinor,
    refused: a.refused + b.refused,
  };
}
