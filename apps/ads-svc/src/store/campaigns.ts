import { defined } from "@platform/kit/process/fields";
import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { Campaign } from "../domain/campaign.ts";

type CampaignDocument = {
  _id: string;
  name: string;
  project_client_id: string | null;
  currency: string;
  cpm_minor: number;
  budget_minor: number;
  destination_url: string;
  starts_at: Date | null;
  ends_at: Date | null;
  created_at: Date;
  /** The ordinal up to which the ledger was audited. Only the worker's audit writes it. */
  audited_ordinal: number;
  /** Absent unless an operator has paused or ended the campaign, or raised its budget. */
  paused_at?: Date | null;
  ended_at?: Date;
  earlier_budgets?: number[];
  /** The ordinal up to which the report's sums include the ledger. */
  reported_ordinal?: number;
};

const schema = new Schema<CampaignDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    project_client_id: { type: String, default: null },
    currency: { type: String, required: true },
    cpm_minor: { type: Number, required: true },
    budget_minor: { type: Number, required: true },
    destination_url: { type: String, required: true },
    starts_at: { type: Date, default: null },
    ends_at: { type: Date, default: null },
    created_at: { type: Date, required: true },
    audited_ordinal: { type: Number, required: true },
    paused_at: Date,
    ended_at: Date,
    earlier_budgets: { type: [Number], default: undefined },
    reported_ordinal: Number,
  },
  { strict: "throw", versionKey: false, collection: "campaigns" },
);
/** The name and the destination that a campaign has after its Project Client was erased. */
const erased = { name: "erased", destination_url: "https://erased.invalid/" };
const isNotErased = { $or: [{ name: { $ne: erased.name } }, { destination_url: { $ne: erased.destination_url } }] };

schema.index({ project_client_id: 1, _id: 1 });

export type CampaignStore = ReturnType<typeof createCampaignStore>;

/** Stores campaigns. Only the positions of the audit and the report, and the fields that operators control, change. */
export function createCampaignStore(connection: Connection) {
  const model = connection.model<CampaignDocument>("Campaign", schema);
  return {
    insertCampaign: async (campaign: Campaign): Promise<void> => {
      await collectionOf(model).insertOne(toDocument(campaign));
    },
    findCampaign: async (id: string): Promise<Campaign | null> => {
      const row = await model.findById(id).lean();
      return row === null ? null : fromDocument(row);
    },
    /**
     * Lists campaigns in the order of their ids, which is the order of their creation. If a Project Client is given,
     * only its campaigns are listed.
     */
    listCampaigns: async (
      projectClientId: string | null,
      afterId: string,
      limit: number,
      isNewestFirst = false,
    ): Promise<Campaign[]> => {
      const owner = defined({ project_client_id: projectClientId });
      const rows = await model
        .find({ ...owner, ...(afterId === "" ? {} : { _id: { [isNewestFirst ? "$lt" : "$gt"]: afterId } }) })
        .sort({ _id: isNewestFirst ? -1 : 1 })
        .limit(limit)
        .lean();
      return rows.map(fromDocument);
    },
    /** Pauses or resumes a campaign. Pausing it again keeps the first time. An ended campaign stays ended. */
    setPaused: async (id: string, pausedAt: Date | null): Promise<void> => {
      const isOther = pausedAt === null ? { $ne: null } : null;
      await model.updateOne({ _id: id, paused_at: isOther }, { $set: { paused_at: pausedAt } });
    },
    /** Ends a campaign permanently. The time of the first call is kept. */
    end: async (id: string, at: Date): Promise<void> => {
      await model.updateOne({ _id: id, ended_at: null }, { $set: { ended_at: at } });
    },
    /** Ends every campaign of a Project Client and deletes its name and destination. @returns how many */
    eraseOf: async (projectClientId: string, at: Date): Promise<number> => {
      const own = { project_client_id: projectClientId };
      await model.updateMany({ ...own, ended_at: null }, { $set: { ended_at: at } });
      const { modifiedCount } = await model.updateMany({ ...own, ...isNotErased }, { $set: erased });
      return modifiedCount;
    },
    /** Raises the budget, if it is still the one that the caller has read. @returns false if it is not */
    raiseBudget: async (id: string, from: number, to: number): Promise<boolean> => {
      const { modifiedCount } = await model.updateOne(
        { _id: id, budget_minor: from },
        { $set: { budget_minor: to }, $push: { earlier_budgets: from } },
      );
      return modifiedCount === 1;
    },
    /** The ordinal up to which the report's sums include the campaign's ledger. */
    reportedOrdinal: async (id: string): Promise<number> => {
      const row = await model.findById(id, { reported_ordinal: 1 }).lean();
      return row?.reported_ordinal ?? 0;
    },
    advanceReport: async (id: string, ordinal: number): Promise<void> => {
      await model.updateOne({ _id: id }, { $max: { reported_ordinal: ordinal } });
    },
    /** The ordinal up to which the campaign's ledger was audited. */
    auditedOrdinal: async (id: string): Promise<number> => {
      const row = await model.findById(id, { audited_ordinal: 1 }).lean();
      return row?.audited_ordinal ?? 0;
    },
    /** Advances the position of the audit. A concurrent audit cannot move it back. */
    advanceAudit: async (id: string, ordinal: number): Promise<void> => {
      await model.updateOne({ _id: id, audited_ordinal: { $lt: ordinal } }, { $set: { audited_ordinal: ordinal } });
    },
  };
}

function toDocument(campaign: Campaign): CampaignDocument {
  return {
    _id: campaign.id,
    name: campaign.name,
    project_client_id: campaign.projectClientId,
    currency: campaign.currency,
    cpm_minor: campaign.cpmMinor,
    budget_minor: campaign.budgetMinor,
    destination_url: campaign.destinationUrl,
    starts_at: campaign.startsAt,
    ends_at: campaign.endsAt,
    created_at: campaign.createdAt,
    audited_ordinal: 0,
  };
}

function fromDocument(row: CampaignDocument): Campaign {
  return {
    id: row._id,
    name: row.name,
    projectClientId: row.project_client_id,
    currency: row.currency,
    cpmMinor: row.cpm_minor,
    budgetMinor: row.budget_minor,
    destinationUrl: row.destination_url,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    createdAt: row.created_at,
    pausedAt: row.paused_at ?? null,
    endedAt: row.ended_at ?? null,
    earlierBudgets: row.earlier_budgets ?? [],
  };
}
