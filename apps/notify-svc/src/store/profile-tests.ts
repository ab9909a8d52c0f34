import { type Keyring, open, seal } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

type ProfileTestRecord = {
  _id: string;
  project_client_id: string;
  sender_profile_id: string;
  /**
   * The recipient's address, encrypted. It belongs to no endpoint and is stored only until the message has been sent.
   */
  to_sealed: string;
  status: "waiting" | "sending" | "done";
  detail?: string;
  accepted?: boolean;
  created_at: Date;
};

/** A test message that a worker is to send. */
export type ProfileTest = {
  readonly id: string;
  readonly projectClientId: string;
  readonly senderProfileId: string;
  readonly to: string;
  readonly createdAt: Date;
};

/** The provider's response to a test message. */
export type ProfileTestResult = { readonly accepted: boolean; readonly detail: string };

const schema = new Schema<ProfileTestRecord>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    sender_profile_id: String,
    to_sealed: String,
    status: String,
    detail: String,
    accepted: Boolean,
    created_at: Date,
  },
  { collection: "sender_profile_tests", strict: "throw", versionKey: false },
);
schema.index({ status: 1, created_at: 1 });
schema.index({ created_at: 1 });

/** Purpose under which the address of a test message is encrypted. */
export const purposeOf = (id: string): string => `sender-profile-test:${id}`;

/** Test messages. The server, which may not connect to providers, stores them for a worker, which may. */
export function createProfileTestStore(connection: Connection, keyring: Keyring) {
  const model = connection.model<ProfileTestRecord>("SenderProfileTest", schema);
  return {
    insert: async (test: ProfileTest): Promise<void> => {
      await collectionOf(model).insertOne({
        _id: test.id,
        project_client_id: test.projectClientId,
        sender_profile_id: test.senderProfileId,
        to_sealed: seal(keyring, purposeOf(test.id), test.to),
        status: "waiting",
        created_at: test.createdAt,
      });
    },
    /** Claims one test message, so that no other worker sends it. Null if none is waiting. */
    claim: async (): Promise<ProfileTest | null> => {
      const record = await model
        .findOneAndUpdate({ status: "waiting" }, { $set: { status: "sending" } }, { sort: { created_at: 1 } })
        .lean<ProfileTestRecord>()
        .exec();
      if (record === null) return null;
      return {
        id: record._id,
        projectClientId: record.project_client_id,
        senderProfileId: record.sender_profile_id,
        to: open(keyring, purposeOf(record._id), record.to_sealed),
        createdAt: record.created_at,
      };
    },
    settle: async (id: string, { accepted, detail }: ProfileTestResult): Promise<void> => {
      await collectionOf(model).updateOne({ _id: id }, { $set: { status: "done", accepted, detail } });
    },
    /** Result of a test; null while it is in progress. */
    readResult: async (id: string): Promise<ProfileTestResult | null> => {
      const record = await model.findOne({ _id: id, status: "done" }).lean<ProfileTestRecord>().exec();
      return record === null ? null : { accepted: record.accepted === true, detail: record.detail ?? "" };
    },
    remove: async (id: string): Promise<void> => {
      await collectionOf(model).deleteOne({ _id: id });
    },
    /** Deletes tests whose callers have given up. */
    removeOlderThan: async (time: Date): Promise<void> => {
      await collectionOf(model).deleteMany({ created_at: { $lt: time } });
    },
  };
}
