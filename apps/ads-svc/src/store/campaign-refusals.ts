import { collectionOf } from "@platform/service-kit/mongo/collection-of";
import { isDuplicateKey } from "@platform/service-kit/mongo/store-failure";
import type { UsageReport } from "@platform/service-kit/process/usage-report";
import { type Connection, Schema } from "mongoose";
import type { RefusalCount } from "../domain/refusal.ts";

type RefusalDocument = {
  /** Campaign and day. */
  _id: string;
  campaign_id: string;
  /** When the UTC day began. */
  day: Date;
  /** By reason. */
  counts: Record<string, number>;
  /** The last report of each process that is in the counts. */
  reports: Record<string, number>;
};

const keptSeconds = 400 * 86_400;
const dayMs = 86_400_000;
const parallel = 50;

const schema = new Schema<RefusalDocument>(
  {
    _id: { type: String, required: true },
    campaign_id: { type: String, required: true },
    day: { type: Date, required: true },
    counts: { type: Schema.Types.Mixed, required: true },
    reports: { type: Schema.Types.Mixed, required: true },
  },
  { strict: "throw", versionKey: false, minimize: false, collection: "campaign_refusals" },
);
schema.index({ campaign_id: 1, day: 1 });
schema.index({ day: 1 }, { expireAfterSeconds: keptSeconds });

type CampaignDay = { readonly campaignId: string; readonly day: Date; readonly counts: Record<string, number> };

/** How many reports of impressions were refused, by campaign, UTC day and reason. Kept for 400 days. */
export function createCampaignRefusalStore(connection: Connection) {
  const collection = collectionOf(connection.model<RefusalDocument>("CampaignRefusal", schema));

  const add = async (
    { reporterId, sequence }: Pick<UsageReport, "reporterId" | "sequence">,
    { campaignId, day, counts }: CampaignDay,
  ): Promise<void> => {
    const report = `reports.${reporterId}`;
    const increments = Object.entries(counts).map(([reason, count]) => [`counts.${reason}`, count]);
    try {
      await collection.updateOne(
        { _id: `${campaignId} ${day.toISOString().slice(0, 10)}`, [report]: { $not: { $gte: sequence } } },
        { $inc: Object.fromEntries(increments), $set: { [report]: sequence, campaign_id: campaignId, day } },
        { upsert: true },
      );
    } catch (error) {
      // It is there and has this report: the upsert tried to insert a second one.
      if (!isDuplicateKey(error)) throw error;
    }
  };

  return {
    /** Adds a report whose owners are campaigns and whose kinds are reasons. Each day includes it once, so it can be sent again. */
    record: async (report: UsageReport): Promise<void> => {
      const days = byDay(report.counts);
      for (let at = 0; at < days.length; at += parallel)
        await Promise.all(days.slice(at, at + parallel).map((day) => add(report, day)));
    },
    /** A campaign's refusals from the day of a time on, oldest first. */
    list: async (campaignId: string, since: Date): Promise<RefusalCount[]> => {
      const day = new Date(Math.floor(since.getTime() / dayMs) * dayMs);
      const rows = (await collection
        .find({ campaign_id: campaignId, day: { $gte: day } }, { projection: { day: 1, counts: 1 } })
        .sort({ day: 1 })
        .toArray()) as RefusalDocument[];
      return rows.flatMap((row) =>
        Object.entries(row.counts)
          .sort()
          .map(([reason, count]) => ({ day: row.day, reason, count })),
      );
    },
  };
}

/** One update for each campaign and day, so that a document takes a report in once. */
function byDay(counted: UsageReport["counts"]): CampaignDay[] {
  const days = new Map<string, CampaignDay>();
  for (const { ownerId: campaignId, kind: reason, hour, count } of counted) {
    const day = new Date(Math.floor(hour.getTime() / dayMs) * dayMs);
    const name = `${campaignId} ${day.getTime()}`;
    const known = days.get(name) ?? { campaignId, day, counts: {} };
    known.counts[reason] = (known.counts[reason] ?? 0) + count;
    days.set(name, known);
  }
  return [...days.values()];
}
