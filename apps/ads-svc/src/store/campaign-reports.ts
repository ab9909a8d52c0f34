import { addOnce, collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

/** Grouping of a report. */
export const reportGroupings = ["day", "placement"] as const;
export type ReportGrouping = (typeof reportGroupings)[number];

/** Sums over some impressions. */
export type ReportSum = { readonly impressions: number; readonly chargedMinor: number; readonly refused: number };

/** The sum of a batch for one key. */
export type ReportPart = ReportSum & { readonly by: ReportGrouping; readonly key: string };

type ReportDocument = {
  /** Consists of campaign, grouping and key. */
  _id: string;
  campaign_id: string;
  by: ReportGrouping;
  key: string;
  impressions: number;
  charged_minor: number;
  refused: number;
  /** The last ordinal that was added. */
  through_ordinal: number;
};

const schema = new Schema<ReportDocument>(
  {
    _id: { type: String, required: true },
    campaign_id: { type: String, required: true },
    by: { type: String, required: true },
    key: { type: String, required: true },
    impressions: { type: Number, required: true },
    charged_minor: { type: Number, required: true },
    refused: { type: Number, required: true },
    through_ordinal: { type: Number, required: true },
  },
  { strict: "throw", versionKey: false, collection: "campaign_reports" },
);
schema.index({ campaign_id: 1, by: 1, key: 1 });

/**
 * Stores the sums of whole batches of each ledger, so that a report has to read only later entries. They can be
 * computed again from the ledger.
 */
export function createCampaignReportStore(connection: Connection) {
  const collection = collectionOf(connection.model<ReportDocument>("CampaignReport", schema));
  return {
    /**
     * Adds a batch that ends at an ordinal. Each sum includes a batch only once, so a batch whose addition was
     * interrupted can be added again.
     */
    addBatch: async (campaignId: string, throughOrdinal: number, parts: readonly ReportPart[]): Promise<void> => {
      for (const { by, key, impressions, chargedMinor, refused } of parts) {
        await addOnce(
          collection,
          `${campaignId} ${by} ${key}`,
          { through_ordinal: { $lt: throughOrdinal } },
          {
            $inc: { impressions, charged_minor: chargedMinor, refused },
            $set: { through_ordinal: throughOrdinal, campaign_id: campaignId, by, key },
          },
        );
      }
    },
    read: async (campaignId: string, by: ReportGrouping): Promise<Map<string, ReportSum>> => {
      const rows = await collection.find({ campaign_id: campaignId, by }).sort({ key: 1 }).toArray();
      return new Map(
        rows.map((row) => [
          row.key,
          { impressions: row.impressions, chargedMinor: row.charged_minor, refused: row.refused },
        ]),
      );
    },
  };
}
