import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { Impression } from "../domain/impression.ts";
import type { AdFormat } from "../domain/viewability.ts";

/**
 * A stored impression. One insert records the impression, detects repeats (by `_id`) and charges it. The document is
 * never updated.
 */
export type ImpressionDocument = {
  /** Id of the decision. It is unique, so a token is recorded only once. */
  _id: string;
  campaign_id: string;
  /**
   * Ordinal in the campaign. It is unique together with campaign_id, so an ordinal and its charge are assigned only
   * once.
   */
  ordinal: number;
  charged_minor: number;
  /**
   * Present only after the campaign's budget was raised: the budget that applied, and the number of impressions for
   * which it has paid.
   */
  budget_minor?: number;
  paid?: number;
  /**
   * Id of the call that recorded the impression. If the response of a call was lost, the call recognizes its own
   * entry by this id.
   */
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

/** Faults by position in the batch. In an ordered batch, nothing after the first fault was attempted. */
export type InsertFaults = ReadonlyMap<number, InsertFault>;

/** A recorded impression as other modules see it. */
export type RecordedImpression = { readonly id: string; readonly claim: string; readonly chargedMinor: number };

export type ImpressionStore = ReturnType<typeof createImpressionStore>;

// A read before a write uses the read concern majority. An ordinal that it returns cannot be rolled back, so the next
// ordinal leaves no gap after a failover.
const durableRead = { readConcern: { level: "majority" }, maxTimeMS: 4_000 } as const;
const durableWrite = { w: "majority", j: true, wtimeout: 4_000 } as const;

/** Stores the impressions of every campaign. Each campaign has an append-only ledger. */
export function createImpressionStore(connection: Connection) {
  const model = connection.model<ImpressionDocument>("Impression", schema);
  const collection = collectionOf(model);

  /**
   * Inserts a batch of one campaign in one round trip. Resolves once a majority of the database's members has stored
   * it on disk. An ordered batch stops at the first error, so the inserted documents are always a prefix.
   * @throws if it is unknown what was inserted, because the connection was lost or no majority confirmed the write in
   * time
   */
  const insertBatch = async (documents: readonly ImpressionDocument[], ordered: boolean): Promise<InsertFaults> => {
    const { db } = connection;
    if (db === undefined) throw new Error("not connected");
    // The command is used instead of insertMany, which would measure every document before writing it.
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

  /**
   * Reads the last entry of a campaign's ledger: its ordinal (0 for an empty ledger), and its number of paid
   * impressions if it records one.
   */
  const readHead = async (campaignId: string): Promise<{ ordinal: number; paid: number | null }> => {
    const head = await collection.findOne(
      { campaign_id: campaignId },
      { sort: { ordinal: -1 }, projection: { ordinal: 1, paid: 1 }, ...durableRead },
    );
    return head === null ? { ordinal: 0, paid: null } : { ordinal: head.ordinal, paid: head.paid ?? null };
  };

  /** Finds those of the given decisions of a campaign that are already recorded. */
  const findRecorded = async (campaignId: string, ids: readonly string[]): Promise<Map<string, RecordedImpression>> => {
    const rows = await collection
      .find({ _id: { $in: ids }, campaign_id: campaignId } as object, {
        projection: { claim: 1, charged_minor: 1 },
        ...durableRead,
      })
      .toArray();
    return new Map(rows.map((row) => [row._id, { id: row._id, claim: row.claim, chargedMinor: row.charged_minor }]));
  };

  /** Finds the impression with this ordinal in a campaign; null if there is none. */
  const findByOrdinal = async (campaignId: string, ordinal: number): Promise<Impression | null> => {
    const row = await model.findOne({ campaign_id: campaignId, ordinal }).lean();
    return row === null ? null : fromDocument(row);
  };

  /** Finds the impression with this id; null if there is none. */
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
    chargeBasis:
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

/** Encodes an impression as a document, with the id of the call that records it. */
export function toImpressionDocument(impression: Impression, claim: string): ImpressionDocument {
  return {
    _id: impression.id,
    campaign_id: impression.campaignId,
    ordinal: impression.ordinal,
    charged_minor: impression.chargedMinor,
    ...(impression.chargeBasis === null
      ? {}
      : { budget_minor: impression.chargeBasis.budgetMinor, paid: impression.chargeBasis.paid }),
    claim,
    placement: impression.placement,
    format: impression.format,
    visible_ratio_basis_points: impression.ratioBasisPoints,
    duration_milliseconds: impression.durationMs,
    issued_at: impression.issuedAt,
    recorded_at: impression.recordedAt,
  };
}
