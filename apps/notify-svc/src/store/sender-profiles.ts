import { type Keyring, keyIdOf, open, seal } from "@platform/service-kit/secrets/sealed";
import { type Connection, Schema } from "mongoose";
import type { Channel } from "../domain/channel.ts";
import { type ChannelConfig, readChannelConfig, type SenderProfile } from "../domain/sender-profile.ts";

type SenderProfileRecord = {
  _id: string;
  project_client_id: string;
  channel: Channel;
  name: string;
  default_locale: string | null;
  verification: boolean;
  /** The whole configuration as JSON, sealed. */
  config_sealed: string;
  created_at: Date;
};

const schema = new Schema<SenderProfileRecord>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    channel: String,
    name: String,
    default_locale: String,
    verification: Boolean,
    config_sealed: String,
    created_at: Date,
  },
  { collection: "sender_profiles", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1, channel: 1, created_at: 1 });

/** Sender profiles. They never change once made; their configuration is sealed with the service key. */
export function createSenderProfileStore(connection: Connection, keyring: Keyring) {
  const model = connection.model<SenderProfileRecord>("SenderProfile", schema);
  const purposeOf = (id: string): string => `sender-profile:${id}`;

  return {
    insert: async (profile: SenderProfile, config: ChannelConfig): Promise<void> => {
      await model.collection.insertOne({
        _id: profile.id as never,
        project_client_id: profile.projectClientId,
        channel: profile.channel,
        name: profile.name,
        default_locale: profile.defaultLocale,
        verification: profile.verification,
        config_sealed: seal(keyring, purposeOf(profile.id), JSON.stringify(config.config)),
        created_at: profile.createdAt,
      });
    },
    find: async (projectClientId: string, id: string): Promise<SenderProfile | null> => {
      const record = await model
        .findOne({ _id: id, project_client_id: projectClientId }, { config_sealed: 0 })
        .lean<SenderProfileRecord>()
        .exec();
      return record === null ? null : toSenderProfile(record);
    },
    list: async (projectClientId: string): Promise<SenderProfile[]> => {
      const records = await model
        .find({ project_client_id: projectClientId }, { config_sealed: 0 })
        .sort({ created_at: 1, _id: 1 })
        .lean<SenderProfileRecord[]>()
        .exec();
      return records.map(toSenderProfile);
    },
    /** The profile verification pushes of a channel leave through: the one marked for it, else the oldest. */
    findForVerification: async (projectClientId: string, channel: Channel): Promise<SenderProfile | null> => {
      const records = await model
        .find({ project_client_id: projectClientId, channel }, { config_sealed: 0 })
        .sort({ created_at: 1 })
        .limit(100)
        .lean<SenderProfileRecord[]>()
        .exec();
      const chosen = records.find((record) => record.verification) ?? records[0];
      return chosen === undefined ? null : toSenderProfile(chosen);
    },
    /**
     * Seals again with the current key what earlier keys of the ring sealed, so that those can be dropped.
     * @returns how many were
     */
    reseal: async (limit: number): Promise<number> => {
      const earlier = keyring.previous.map(keyIdOf).filter((keyId) => keyId !== keyIdOf(keyring.current));
      if (earlier.length === 0) return 0;
      const condition = { config_sealed: new RegExp(`^(${earlier.join("|")})\\.`) };
      const records = await model.find(condition).limit(limit).lean<SenderProfileRecord[]>().exec();
      for (const { _id, config_sealed: sealed } of records) {
        const again = seal(keyring, purposeOf(_id), open(keyring, purposeOf(_id), sealed));
        await model.collection.updateOne(
          { _id: _id as never, config_sealed: sealed },
          { $set: { config_sealed: again } },
        );
      }
      return records.length;
    },
    /** The opened configuration, for the worker alone. Null when there is no such profile. */
    openConfig: async (projectClientId: string, id: string): Promise<ChannelConfig | null> => {
      const record = await model
        .findOne({ _id: id, project_client_id: projectClientId })
        .lean<SenderProfileRecord>()
        .exec();
      if (record === null) return null;
      return readChannelConfig(record.channel, open(keyring, purposeOf(record._id), record.config_sealed));
    },
  };
}

function toSenderProfile(record: Omit<SenderProfileRecord, "config_sealed">): SenderProfile {
  return {
    id: record._id,
    projectClientId: record.project_client_id,
    channel: record.channel,
    name: record.name,
    defaultLocale: record.default_locale,
    verification: record.verification,
    createdAt: record.created_at,
  };
}
