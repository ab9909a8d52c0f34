import { newId } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { CatalogChanges } from "../domain/catalog-changes.ts";

/** Number of versions of a client's catalog that are kept. */
export const versionsKept = 20;
/** How long a version that no catalog lists may still be the unfinished work of another process, in milliseconds. */
const unfinishedMs = 3_600_000;

type VersionRecord = {
  _id: string;
  project_client_id: string;
  version: number;
  /** The templates in the form in which the catalog stores them. */
  templates: Record<string, unknown>;
  applied_at: Date;
  by: string;
  added: string[];
  changed: string[];
  removed: string[];
};

const schema = new Schema<VersionRecord>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    version: { type: Number, required: true },
    templates: { type: Schema.Types.Mixed, required: true },
    applied_at: { type: Date, required: true },
    by: String,
    added: [String],
    changed: [String],
    removed: [String],
  },
  { collection: "catalog_versions", strict: "throw", versionKey: false, minimize: false },
);
schema.index({ project_client_id: 1 });

/** A catalog that was applied. */
export type CatalogVersion = {
  readonly version: number;
  readonly appliedAt: Date;
  /** The operator who applied it; empty for a catalog that was applied before versions were recorded. */
  readonly by: string;
} & Pick<CatalogChanges, "added" | "changed" | "removed">;

/** A version before it is stored. */
export type NewCatalogVersion = {
  readonly projectClientId: string;
  readonly version: number;
  readonly templates: Record<string, unknown>;
  readonly appliedAt: Date;
  readonly by: string;
  readonly changes: CatalogChanges;
};

/**
 * Stores the versions of catalogs. A catalog lists the versions that are kept; a version that it does not list has no
 * effect.
 */
export function createCatalogVersionStore(connection: Connection) {
  const model = connection.model<VersionRecord>("CatalogVersion", schema);
  return {
    /** @returns its id */
    add: async ({
      projectClientId,
      version,
      templates,
      appliedAt,
      by,
      changes,
    }: NewCatalogVersion): Promise<string> => {
      const { added, changed, removed } = changes;
      const _id = newId();
      await collectionOf(model).insertOne({
        _id,
        project_client_id: projectClientId,
        version,
        templates,
        applied_at: appliedAt,
        by,
        added,
        changed,
        removed,
      });
      return _id;
    },
    remove: async (ids: readonly string[]): Promise<void> => {
      await collectionOf(model).deleteMany({ _id: { $in: [...ids] } });
    },
    /** Removes versions that are no longer kept, and those whose catalog was never written because the process died. */
    removeOthers: async (projectClientId: string, kept: readonly string[], now: Date): Promise<void> => {
      await collectionOf(model).deleteMany({
        project_client_id: projectClientId,
        _id: { $nin: [...kept] },
        applied_at: { $lt: new Date(now.getTime() - unfinishedMs) },
      });
    },
    /** Lists the given versions, newest first. */
    list: async (ids: readonly string[]): Promise<CatalogVersion[]> => {
      const found = await model
        .find({ _id: { $in: [...ids] } }, { templates: 0 })
        .sort({ version: -1 })
        .lean<Omit<VersionRecord, "templates">[]>();
      return found.map(({ version, applied_at, by, added, changed, removed }) => ({
        version,
        appliedAt: applied_at,
        by,
        added,
        changed,
        removed,
      }));
    },
    /** The templates of one of the given versions, or null if it is not among them. */
    find: async (ids: readonly string[], version: number): Promise<Record<string, unknown> | null> => {
      const found = await collectionOf(model).findOne({ _id: { $in: [...ids] }, version });
      return (found as unknown as VersionRecord | null)?.templates ?? null;
    },
  };
}
