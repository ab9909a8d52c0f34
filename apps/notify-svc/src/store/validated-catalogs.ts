import { collectionOf, retryWrite } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { ValidatedEntry } from "../domain/catalog-problems.ts";

type ValidatedCatalogRecord = { _id: string; digest: string; entries: ValidatedEntry[]; validated_at: Date };

const schema = new Schema<ValidatedCatalogRecord>(
  {
    _id: { type: String, required: true },
    digest: { type: String, required: true },
    entries: { type: Schema.Types.Mixed, required: true },
    validated_at: { type: Date, required: true },
  },
  { collection: "validated_catalogs", strict: "throw", versionKey: false },
);

/** The newest catalog that each Project Client has validated. */
export function createValidatedCatalogStore(connection: Connection) {
  const model = connection.model<ValidatedCatalogRecord>("ValidatedCatalog", schema);
  return {
    /** Stores a catalog in place of the previous one; an identical one is not written again. */
    record: async (
      projectClientId: string,
      { digest, entries }: { readonly digest: string; readonly entries: readonly ValidatedEntry[] },
      now: Date,
    ): Promise<void> => {
      const known = await model.exists({ _id: projectClientId, digest });
      if (known !== null) return;
      const record = { digest, entries: [...entries], validated_at: now };
      await retryWrite(() => collectionOf(model).replaceOne({ _id: projectClientId }, record, { upsert: true }));
    },
    /** The entries; none if the client has validated no catalog. */
    entries: async (projectClientId: string): Promise<readonly ValidatedEntry[]> => {
      const record = await model.findById(projectClientId).lean<ValidatedCatalogRecord | null>();
      return record?.entries ?? [];
    },
  };
}
