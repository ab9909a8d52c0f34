import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { Impression } from "../domain/impression.ts";
import type { AdFormat } from "../domain/viewability.ts";

/** A stored impression. One insert is the record, the deduplication (`_id`) and the charge; it is never updated. */
export type ImpressionDocument = {
  /** The decision's id. Unique, so a token is recorded once. */
  _id: string;
  campaign_id: string;
  /** Ordinal in the campaign. It is unique with campaign_id, so an ordinal and its charge are assigned once. */
  ordinal: number;
  charged_minor: number;
  /** Set only once the campaign's budget was raised: the budget that applied, and the number of impressions that it paid for. */
  budget_minor?: number;
  paid?: number;
  /** Id of the call that recorded it, so that a call whose response was lost recognises its own entry. */
  claim: string;
  placement: string;
  format: AdFormat;
  visible_ratio_basis_points: number;
  duration_milliseconds: number;
  issued_at: Date;
  recorded_at: Date;
};

const schema = new Schema<ImpressionDocument>(
  {
    _id: { type: String, required: true },
    campaign_id: { type: String, required: true },
    ordinal: { type: Number, required: true },
    charged_minor: { type: Number, required: true },
    budget_minor: Number,
    paid: Number,
    claim: { type: String, required: true },
    placement: { type: String, required: true },
    format: { type: String, required: true },
    visible_ratio_basis_points: { type: Number, required: true },
    duration_milliseconds: { type: Number, required: true },
    issued_at: { type: Date, required: true },
    recorded_at: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false, collection: "impressions" },
);
schema.index({ campaign_id: 1, ordinal: 1 }, { unique: true });

/** Why a document was not inserted: its decision was recorded before, or its ordinal belongs to another impression. */
export type InsertFault = "recorded" | "ordinal_taken";

/** Faults by position in the batch. After an ordered batch, everything behind the first fault was not tried. */
export type InsertFaults = ReadonlyMap<number, InsertFault>;

/** A recorded impression as other modules see it. */
export type RecordedImpression = { readonly id: string; readonly claim: string; readonly chargedMinor: number };

export type ImpressionStore = ReturnType<typeof createImpressionStore>;

// A read before a write uses read concern majority: an ordinal that it returns cannot be rolled back, so the next one
// leaves no gap after a failover.
const durableRead = { readConcern: { level: "majority" }, maxTimeMS: 4_000 } as const;
const durableWrite = { w: "majority", j: true, wtimeout: 4_000 } as const;

/** The impressions of every campaign: one append-only ledger for each. */
export function createImpressionStore(connection: Connection) {
  const model = connection.model<ImpressionDocument>("Impression", schema);
  const collection = collectionOf(model);

  /**
   * Inserts a batch of one campaign in one round trip and resolves once a majority has it on disk. Ordered batches stop
   * at the first error, so the inserted documents are always a prefix.
   * @throws if it is unknown what was inserted: the connection was lost, or no majority confirmed it in time
   */
  const insertBatch = async (documents: readonly ImpressionDocument[], ordered: boolean): Promise<InsertFaults> => {
    const { db } = connection;
    if (db === undefined) throw new Error("not connected");
    // Uses the command itself instead of insertMany, which measures every document before it writes it.
    const reply = await db.command({
      insert: collection.collectionName,
      documents,
      ordered,
      writeConcern: durableWrite,
    });
    if (reply.writeConcernError !== undefined) throw new Error("no majority confirmed the batch in time");
    const failures = (reply.writeErrors ?? []) as { index: number; code: number }[];
    if (failures.length === 0) return new Map();
    const other = failures.find(({ code }) => code !== 11000);
    if (other !== undefined) throw new Error(`insert failed with code ${other.code}`);
    const failed = failures.map(({ index }) => [index, documents[index]?._id ?? ""] as const);
    const rows = await collection
      .find({ _id: { $in: failed.map(([, id]) => id) }, campaign_id: documents[0]?.campaign_id } as object, {
        projection: { _id: 1 },
        maxTimeMS: 4_000,
      })
      .toArray();
    const recorded = new Set(rows.map(({ _id }) => String(_id)));
    return new Map(failed.map(([index, id]) => [index, recorded.has(id) ? "recorded" : "ordinal_taken"]));
  };

  /** The last entry of a campaign's ledger: its ordinal (0 for an empty ledger) and its number of paid impressions, if present. */
  const readHead = async (campaignId: string): Promise<{ ordinal: number; paid: number | null }> => {
    const head = await collection.findOne(
      { campaign_id: campaignId },
      { sort: { ordinal: -1 }, projection: { ordinal: 1, paid: 1 }, ...durableRead },
    );
    return head === null ? { ordinal: 0, paid: null } : { ordinal: head.ordinal, paid: head.paid ?? null };
  };

  /** The given decisions of a campaign that are already recorded. */
  const findRecorded = async (campaignId: string, ids: readonly string[]): Promise<Map<string, RecordedImpression>> => {
    const rows = await collection
      .find({ _id: { $in: ids }, campaign_id: campaignId } as object, {
        projection: { claim: 1, charged_minor: 1 },
        ...durableRead,
      })
      .toArray();
    return new Map(rows.map((row) => [row._id, { id: row._id, claim: row.claim, chargedMinor: row.charged_minor }]));
  };

  /** The impression with this ordinal of a campaign, or null. */
  const findByOrdinal = async (campaignId: string, ordinal: number): Promise<Impression | null> => {
    const row = await model.findOne({ campaign_id: campaignId, ordinal }).lean();
    return row === null ? null : fromDocument(row);
  };

  /** The impression with this id, or null. */
  const findImpression = async (id: string): Promise<Impression | null> => {
    const row = await model.findById(id).lean();
    return row === null ? null : fromDocument(row);
  };

  /** The next impressions of a campaign after an ordinal, in order. */
  const listAfter = async (campaignId: string, ordinal: number, limit: number): Promise<Impression[]> => {
    const rows = await model
      .find({ campaign_id: campaignId, ordinal: { $gt: ordinal } })
      .sort({ ordinal: 1 })
      .limit(limit)
      .lean();
    return rows.map(fromDocument);
  };

  return { insertBatch, readHead, findRecorded, findByOrdinal, findImpression, listAfter };
}

function fromDocument(row: ImpressionDocument): Impression {
  return {
    id: row._id,
    campaignId: row.campaign_id,
    ordinal: row.ordinal,
    chargedMinor: row.charged_minor,
    judged:
      row.paid === undefined || row.budget_minor === undefined
        ? null
        : { budgetMinor: row.budget_minor, paid: row.paid },
    placement: row.placement,
    format: row.format,
    ratioBasisPoints: row.visible_ratio_basis_points,
    durationMs: row.duration_milliseconds,
    issuedAt: row.issued_at,
    recordedAt: row.recorded_at,
  };
}

/** The document of an impression, with the call that records it. */
export function toImpressionDocument(impression: Impression, claim: string): ImpressionDocument {
  return {
    _id: impression.id,
    campaign_id: impression.campaignId,
    ordinal: impression.ordinal,
    charged_minor: impression.chargedMinor,
    ...(impression.judged === null
      ? {}
      : { budget_minor: impression.judged.budgetMinor, paid: impression.judged.paid }),
    claim,
    placement: impression.placement,
    format: impression.format,
    visible_ratio_basis_points: impression.ratioBasisPoints,
    duration_milliseconds: impression.durationMs,
    issued_at: impression.issuedAt,
    recorded_at: impression.recordedAt,
  };
}
