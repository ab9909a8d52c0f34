import { type Connection, Schema } from "mongoose";

/** How long records of one kind are kept for a client; null for unlimited. */
export type Retention = { readonly kind: string; readonly days: number | null; readonly isDefault: boolean };

/** Default retention in days by kind of record; null for unlimited. A client's own setting has precedence. */
export type RetentionDefaults = Readonly<Record<string, number | null>>;

type RetentionDocument = { _id: string; project_client_id: string; kind: string; days: number };

const schema = new Schema<RetentionDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    kind: { type: String, required: true },
    days: { type: Number, required: true },
  },
  { collection: "retention_settings", strict: "throw", versionKey: false },
);
schema.index({ kind: 1, project_client_id: 1 });

export type RetentionStore = ReturnType<typeof createRetentionStore>;

/** Stores the retention settings of a service by client and kind. */
export function createRetentionStore(connection: Connection, defaults: RetentionDefaults) {
  const model = connection.model<RetentionDocument>("RetentionSetting", schema);
  const nameOf = (clientId: string, kind: string): string => `${clientId} ${kind}`;
  return {
    defaults,
    show: async (clientId: string): Promise<Retention[]> => {
      const kinds = Object.keys(defaults);
      const found = await model
        .find({ _id: { $in: kinds.map((kind) => nameOf(clientId, kind)) } })
        .lean<RetentionDocument[]>();
      const days = new Map(found.map((setting) => [setting.kind, setting.days]));
      return kinds.map((kind) => ({
        kind,
        days: days.get(kind) ?? defaults[kind] ?? null,
        isDefault: !days.has(kind),
      }));
    },
    set: async (clientId: string, kind: string, days: number): Promise<void> => {
      await model.updateOne(
        { _id: nameOf(clientId, kind) },
        { $set: { days }, $setOnInsert: { project_client_id: clientId, kind } },
        { upsert: true },
      );
    },
    /** Returns the clients that have their own setting for a kind. */
    settingsOf: async (kind: string): Promise<{ clientId: string; days: number }[]> => {
      const found = await model.find({ kind }).lean<RetentionDocument[]>();
      return found.map(({ project_client_id, days }) => ({ clientId: project_client_id, days }));
    },
  };
}
