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
  /** How far the ledger was audited; written by the worker's audit only. */
  audited_ordinal: number;
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
  },
  { strict: "throw", versionKey: false, collection: "campaigns" },
);
schema.index({ project_client_id: 1, _id: 1 });

export type CampaignStore = ReturnType<typeof createCampaignStore>;

/** Campaigns. Only the audit's watermark ever changes in one. */
export function createCampaignStore(connection: Connection) {
  const model = connection.model("Campaign", schema);
  return {
    insertCampaign: async (campaign: Campaign): Promise<void> => {
      await model.collection.insertOne(toDocument(campaign) as never);
    },
    findCampaign: async (id: string): Promise<Campaign | null> => {
      const row = await model.findById(id).lean();
      return row === null ? null : fromDocument(row);
    },
    /** Campaigns in the order of their ids, which is that of their creation; of one Project Client when it is named. */
    listCampaigns: async (projectClientId: string | null, afterId: string, limit: number): Promise<Campaign[]> => {
      const owner = projectClientId === null ? {} : { project_client_id: projectClientId };
      const rows = await model
        .find({ ...owner, _id: { $gt: afterId } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
      return rows.map(fromDocument);
    },
    /** How far the campaign's ledger was audited. */
    auditedOrdinal: async (id: string): Promise<number> => {
      const row = await model.findById(id, { audited_ordinal: 1 }).lean();
      return row?.audited_ordinal ?? 0;
    },
    /** Moves the audit's watermark up; two audits at once cannot move it back. */
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
  };
}
