import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { Environment } from "../domain/environment.ts";
import type { ProjectClient } from "../domain/project-client.ts";
import { invitationMailsMax, invitationWindowMs } from "../domain/project-member.ts";

type ProjectClientDocument = Omit<ProjectClient, "id" | "return_uris" | "quota_limits"> & {
  _id: string;
  return_uris: readonly string[];
  quota_limits: Record<string, number>;
  /** Times of the latest emails with invitations, oldest first. */
  invitation_mails_at?: readonly Date[];
  /** True if the client was erased: only the fact that it existed remains. */
  erased?: true;
};

const schema = new Schema<ProjectClientDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    environment: { type: String, required: true },
    return_uris: { type: [String], required: true },
    quota_limits: { type: Schema.Types.Mixed, required: true },
    platform_events: Boolean,
    allowed_scopes: { type: [String], default: undefined },
    success_ratio: Number,
    invitation_mails_at: { type: [Date], default: undefined },
    disabled_at: { type: Date, default: null },
    created_at: { type: Date, required: true },
    erased: Boolean,
  },
  { strict: "throw", versionKey: false, minimize: false, collection: "project_clients" },
);
schema.index({ disabled_at: 1 });
schema.index({ name: 1, _id: 1 });
schema.index({ platform_events: 1, _id: 1 }, { partialFilterExpression: { platform_events: true } });

function fromDocument({ _id, invitation_mails_at: _at, ...rest }: ProjectClientDocument): ProjectClient {
  return { id: _id, ...rest };
}

/** What lists and searches show of a Project Client. */
export type NamedProjectClient = Pick<ProjectClient, "id" | "name" | "environment" | "disabled_at">;

/** Stores Project Clients. Each is found by its own id. */
export type ProjectClientStore = {
  insert(client: ProjectClient): Promise<void>;
  find(clientId: string): Promise<ProjectClient | null>;
  /** Clients in the order of their ids, which is the order of their creation. */
  listAfter(afterId: string, count: number): Promise<ProjectClient[]>;
  /** The same as `listAfter`, but reads only the name, the environment and the state of each client. */
  listNamesAfter(afterId: string, count: number): Promise<NamedProjectClient[]>;
  /** Ids of the disabled clients, in order. */
  listDisabledAfter(afterId: string, count: number): Promise<string[]>;
  /** Ids of the clients with platform events turned on, in order. */
  listPlatformEventsAfter(afterId: string, count: number): Promise<string[]>;
  update(
    clientId: string,
    change: {
      name?: string;
      return_uris?: readonly string[];
      platform_events?: boolean;
      allowed_scopes?: readonly string[];
      success_ratio?: number;
    },
  ): Promise<ProjectClient | null>;
  /** Disables a client, or enables it if `disabledAt` is null. Disabling it again keeps the first time. */
  setDisabled(clientId: string, disabledAt: Date | null): Promise<ProjectClient | null>;
  setQuotaLimit(clientId: string, resource: string, limit: number): Promise<ProjectClient | null>;
  /** Counts an email with an invitation. Returns false, and counts nothing, if the project has sent too many. */
  countInvitationMail(clientId: string, now: Date): Promise<boolean>;
};

export function createProjectClientStore(connection: Connection): ProjectClientStore {
  const model = connection.model<ProjectClientDocument>("ProjectClient", schema);
  const mapped = (document: ProjectClientDocument | null): ProjectClient | null =>
    document === null ? null : fromDocument(document);
  const changed = async (clientId: string, set: Record<string, unknown>): Promise<ProjectClient | null> =>
    mapped(
      await model
        .findOneAndUpdate({ _id: clientId }, { $set: set }, { returnDocument: "after" })
        .lean<ProjectClientDocument>(),
    );
  return {
    insert: async ({ id, environment, ...rest }) => {
      await collectionOf(model).insertOne({
        _id: id,
        environment: environment satisfies Environment,
        ...rest,
      });
    },
    find: async (clientId) => mapped(await model.findById(clientId).lean<ProjectClientDocument>()),
    listAfter: async (afterId, count) => {
      const documents = await model
        .find({ _id: { $gt: afterId } })
        .sort({ _id: 1 })
        .limit(count)
        .lean<ProjectClientDocument[]>();
      return documents.map(fromDocument);
    },
    listNamesAfter: async (afterId, count) => {
      const projection = { name: 1, environment: 1, disabled_at: 1 } as const;
      const documents = await collectionOf(model)
        .find({ _id: { $gt: afterId } }, { projection, sort: { _id: 1 }, limit: count, batchSize: count + 1 })
        .toArray();
      return documents.map(({ _id: id, name, environment, disabled_at }) => ({ id, name, environment, disabled_at }));
    },
    listDisabledAfter: async (afterId, count) => {
      const documents = await model
        .find({ _id: { $gt: afterId }, disabled_at: { $gt: new Date(0) } }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(count)
        .lean<Pick<ProjectClientDocument, "_id">[]>();
      return documents.map(({ _id }) => _id);
    },
    listPlatformEventsAfter: async (afterId, count) => {
      const documents = await model
        .find({ platform_events: true, _id: { $gt: afterId } }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(count)
        .lean<Pick<ProjectClientDocument, "_id">[]>();
      return documents.map(({ _id }) => _id);
    },
    update: (clientId, change) => changed(clientId, change),
    setDisabled: async (clientId, disabledAt) => {
      if (disabledAt === null) {
        const enabled = await model
          .findOneAndUpdate(
            { _id: clientId, erased: { $ne: true } },
            { $set: { disabled_at: null } },
            { returnDocument: "after" },
          )
          .lean<ProjectClientDocument>();
        return mapped(enabled);
      }
      const disabled = await model
        .findOneAndUpdate(
          { _id: clientId, disabled_at: null },
          { $set: { disabled_at: disabledAt } },
          { returnDocument: "after" },
        )
        .lean<ProjectClientDocument>();
      return mapped(disabled ?? (await model.findById(clientId).lean<ProjectClientDocument>()));
    },
    setQuotaLimit: (clientId, resource, limit) => changed(clientId, { [`quota_limits.${resource}`]: limit }),
    countInvitationMail: async (clientId, now) => {
      // The array contains the times of the latest emails, so its oldest time decides whether another email may be
      // sent.
      const counted = await model.updateOne(
        {
          _id: clientId,
          $or: [
            { [`invitation_mails_at.${invitationMailsMax - 1}`]: { $exists: false } },
            { "invitation_mails_at.0": { $lte: new Date(now.getTime() - invitationWindowMs) } },
          ],
        },
        { $push: { invitation_mails_at: { $each: [now], $slice: -invitationMailsMax } } },
      );
      return counted.modifiedCount === 1;
    },
  };
}
