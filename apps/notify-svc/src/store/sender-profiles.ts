import { type Keyring, keyIdOf, open, seal } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { collectionOf, createFindTogether } from "@platform/kit/store/documents";
import { type FailureWatch, type PlatformFacts, watchFailing } from "@platform/operator-plane/platform-events";
import type { Connection } from "mongoose";
import type { SendMode } from "../domain/capture.ts";
import type { Channel } from "../domain/channel.ts";
import {
  type ChannelConfig,
  type OpenedProfile,
  profileKey,
  readStoredConfig,
  type SenderProfile,
} from "../domain/sender-profile.ts";
import { type SenderProfileRecord, senderProfileModel, toSenderProfile } from "./sender-profile-model.ts";

const secrets = { config_sealed: 0, previous_sealed: 0 } as const;
const sealedFields = ["config_sealed", "previous_sealed"] as const;

/** Purpose under which the configuration of a sender profile is encrypted. */
export const purposeOf = (id: string): string => `sender-profile:${id}`;

/** Sender profiles. Their configuration is encrypted with the service key. */
export function createSenderProfileStore(connection: Connection, keyring: Keyring) {
  const model = senderProfileModel(connection);
  const read = ({ _id, channel }: SenderProfileRecord, sealed: string): ChannelConfig =>
    readStoredConfig(channel, open(keyring, purposeOf(_id), sealed));
  const findById = createFindTogether(model, secrets);

  return {
    insert: async (profile: SenderProfile, config: ChannelConfig): Promise<void> => {
      await collectionOf(model).insertOne({
        _id: profile.id,
        project_client_id: profile.projectClientId,
        channel: profile.channel,
        name: profile.name,
        default_locale: profile.defaultLocale,
        verification: profile.verification,
        status: profile.status,
        revision: profile.revision,
        config_sealed: seal(keyring, purposeOf(profile.id), JSON.stringify(config.config)),
        created_at: profile.createdAt,
      });
    },
    find: async (projectClientId: string, id: string): Promise<SenderProfile | null> => {
      const record = await findById(id);
      return record?.project_client_id === projectClientId ? toSenderProfile(record) : null;
    },
    /** Finds the profile of any client, for operators. */
    findForOperator: async (id: string): Promise<SenderProfile | null> => {
      const record = await findById(id);
      return record === null ? null : toSenderProfile(record);
    },
    /** The current configuration with its secrets, for changing a part of it. */
    readConfig: async (id: string): Promise<ChannelConfig | null> => {
      const record = await model.findOne({ _id: id }).lean<SenderProfileRecord>().exec();
      return record === null ? null : read(record, record.config_sealed);
    },
    list: async (projectClientId: string): Promise<SenderProfile[]> => {
      const records = await model
        .find({ project_client_id: projectClientId }, secrets)
        .sort({ created_at: 1, _id: 1 })
        .lean<SenderProfileRecord[]>()
        .exec();
      return records.map(toSenderProfile);
    },
    /** The configured modes of profiles, by id; null for a profile that specifies none. */
    readModes: async (ids: readonly string[]): Promise<Map<string, SendMode | null>> => {
      const records = await model
        .find({ _id: { $in: [...ids] } })
        .lean<SenderProfileRecord[]>()
        .exec();
      return new Map(records.map((record) => [record._id, read(record, record.config_sealed).config.mode ?? null]));
    },
    /**
     * Replaces a profile's configuration, and keeps the previous one until the overlap ends. The write requires the
     * revision that it replaces.
     * @returns the current profile; null if another update was first
     */
    replaceConfig: async (
      profile: SenderProfile,
      config: ChannelConfig,
      { now, previousUntil }: { readonly now: Date; readonly previousUntil: Date },
    ): Promise<SenderProfile | null> => {
      const isFirst = profile.revision === 1;
      const current = await model.findOne({ _id: profile.id }).lean<SenderProfileRecord>().exec();
      if (current === null || (current.revision ?? 1) !== profile.revision) return null;
      const record = await model
        .findOneAndUpdate(
          { _id: profile.id, revision: isFirst ? { $in: [1, null] } : profile.revision },
          {
            $set: {
              revision: profile.revision + 1,
              default_locale: config.config.default_locale ?? null,
              verification: config.config.verification,
              config_sealed: seal(keyring, purposeOf(profile.id), JSON.stringify(config.config)),
              previous_sealed: current.config_sealed,
              previous_until: previousUntil,
              updated_at: now,
              changed_at: now,
            },
          },
          { returnDocument: "after", projection: secrets },
        )
        .lean<SenderProfileRecord>()
        .exec();
      return record === null ? null : toSenderProfile(record);
    },
    /** Disables or enables a profile. Returns null if it does not exist. */
    setStatus: async (id: string, status: SenderProfile["status"], now: Date): Promise<SenderProfile | null> => {
      const record = await model
        .findOneAndUpdate(
          { _id: id },
          { $set: { status, changed_at: now } },
          { returnDocument: "after", projection: secrets },
        )
        .lean<SenderProfileRecord>()
        .exec();
      return record === null ? null : toSenderProfile(record);
    },
    /** Ids of all disabled profiles. */
    listDisabled: async (): Promise<string[]> => {
      const records = await model.find({ status: "disabled" }, { _id: 1 }).lean<{ _id: string }[]>().exec();
      return records.map(({ _id }) => _id);
    },
    /** Profiles that were changed after a time, each with its revision. */
    listChanged: async (since: Date): Promise<{ id: string; revision: number }[]> => {
      const records = await model
        .find({ changed_at: { $gte: since } }, { revision: 1 })
        .lean<{ _id: string; revision?: number }[]>()
        .exec();
      return records.map(({ _id, revision }) => ({ id: _id, revision: revision ?? 1 }));
    },
    /**
     * The profile with which verification pushes of a channel are sent: the one that is marked for it, otherwise the
     * oldest. Disabled profiles are never used.
     */
    findForVerification: async (projectClientId: string, channel: Channel): Promise<SenderProfile | null> => {
      const records = await model
        .find({ project_client_id: projectClientId, channel }, secrets)
        .sort({ created_at: 1 })
        .limit(100)
        .lean<SenderProfileRecord[]>()
        .exec();
      const active = records.filter(({ status }) => status !== "disabled");
      const chosen = active.find((record) => record.verification) ?? active[0];
      return chosen === undefined ? null : toSenderProfile(chosen);
    },
    /**
     * Encrypts secrets again that were encrypted with an earlier key, so that the earlier keys can be removed.
     * @returns how many were encrypted again
     */
    reseal: async (limit: number): Promise<number> => {
      const earlier = keyring.previous.map(keyIdOf).filter((keyId) => keyId !== keyIdOf(keyring.current));
      if (earlier.length === 0) return 0;
      const isEarlier = new RegExp(`^(${earlier.join("|")})\\.`);
      let count = 0;
      for (const field of sealedFields) {
        const records = await model
          .find({ [field]: isEarlier })
          .limit(limit)
          .lean<SenderProfileRecord[]>()
          .exec();
        for (const record of records) {
          const sealed = record[field];
          if (sealed === undefined) continue;
          const again = seal(keyring, purposeOf(record._id), open(keyring, purposeOf(record._id), sealed));
          await collectionOf(model).updateOne({ _id: record._id, [field]: sealed }, { $set: { [field]: again } });
        }
        count += records.length;
      }
      return count;
    },
    /** Deletes configurations whose overlap has ended. @returns how many */
    dropExpiredConfigs: async (now: Date): Promise<number> => {
      const { modifiedCount } = await collectionOf(model).updateMany(
        { previous_until: { $lt: now } },
        { $unset: { previous_sealed: "", previous_until: "" } },
      );
      return modifiedCount;
    },
    /** The decrypted configuration, for workers only. Null if the profile does not exist. */
    openConfig: async (projectClientId: string, id: string): Promise<OpenedProfile | null> => {
      const record = await model
        .findOne({ _id: id, project_client_id: projectClientId })
        .lean<SenderProfileRecord>()
        .exec();
      if (record === null) return null;
      const { revision = 1, previous_sealed: previous, previous_until: until } = record;
      return {
        current: { key: profileKey(id, revision), config: read(record, record.config_sealed) },
        previous:
          previous === undefined || until === undefined
            ? null
            : { key: profileKey(id, revision - 1), config: read(record, previous), until },
      };
    },
  };
}

/** Notifies clients of sender profiles with which every attempt to send has failed for an hour. */
export function watchFailingProfiles(
  connection: Connection,
  facts: Pick<PlatformFacts, "notice">,
  options: { readonly clock: () => Date; readonly logger: Logger },
): FailureWatch {
  return watchFailing<SenderProfileRecord>(senderProfileModel(connection), {
    ...options,
    facts,
    resource: "sender_profile",
    active: { status: { $ne: "disabled" } },
    data: ({ channel, name }) => ({ channel, name }),
  });
}
