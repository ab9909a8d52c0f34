import { type Addition, addReport, collectionOf } from "@platform/kit/store/documents";
import type { UsageReport } from "@platform/operator-plane/usage";
import { type Connection, Schema } from "mongoose";
import type { RefusalCount } from "../domain/refusal.ts";

type RefusalDocument = {
  /** Consists of campaign and day. */
  _id: string;
  campaign_id: string;
  /** Start of the UTC day. */
  day: Date;
  /** Number of rejected reports by reason. */
  counts: Record<string, number>;
  /** For each process, the number of the last report that the counts include. */
  reports: Record<string, number>;
};

const keptSeconds = 400 * 86_400;
const dayMs = 86_400_000;

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

/** Number of rejected impression reports, by campaign, UTC day and reason. Kept for 400 days. */
export function createCampaignRefusalStore(connection: Connection) {
  const collection = collectionOf(connection.model<RefusalDocument>("CampaignRefusal", schema));

  return {
    /**
     * Adds a process's report, in which owners are campaigns and kinds are reasons. Each day includes a report only
     * once, so the report can be sent again.
     */
    record: (report: UsageReport): Promise<void> => addReport(collection, report, byDay(report.counts)),
    /** A campaign's rejections since the day of the given time, oldest first. */
    list: async (campaignId: string, since: Date): Promise<RefusalCount[]> => {
      const rows = await collection
        .find({ campaign_id: campaignId, day: { $gte: dayOf(since) } }, { projection: { day: 1, counts: 1 } })
        .sort({ day: 1 })
        .toArray();
      return rows.flatMap((row) =>
        Object.entries(row.counts)
          .sort()
          .map(([reason, count]) => ({ day: row.day, reason, count })),
      );
    },
  };
}

/** Splits a report into one addition for each campaign and day, so that a document includes the report once. */
function byDay(counted: UsageReport["counts"]): Addition<RefusalDocument>[] {
  const days = Map.groupBy(counted, ({ ownerId, hour }) => `${ownerId} ${dayOf(hour).toISOString().slice(0, 10)}`);
  return [...days].map(([id, ofDay]) => {
    const counts: Record<string, number> = {};
    for (const { kind: reason, count } of ofDay) counts[`counts.${reason}`] = (counts[`counts.${reason}`] ?? 0) + count;
    const [{ ownerId: campaign_id, hour }] = ofDay as [UsageReport["counts"][number]];
    return { id, counts, fields: { campaign_id, day: dayOf(hour) } };
  });
}

const dayOf = (time: Date): Date => new Date(Math.floor(time.getTime() / dayMs) * dayMs);
