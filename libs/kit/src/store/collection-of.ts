import type { Model, mongo } from "mongoose";

/** A document of any model, for mechanisms that work on all collections. */
export type StoredDocument = mongo.Document & { readonly _id: string };

/** An update of such a document. */
export type StoredUpdate = mongo.UpdateFilter<StoredDocument>;

/**
 * Condition that matches documents without the field, because MongoDB's null matches an absent field. The driver's
 * types do not include this condition.
 */
export const absent = null as never;

/**
 * Returns the driver's collection behind a model, for statements that mongoose neither casts nor validates. Its documents have the model's type, and
 * ids that are strings: mongoose types every model's collection as one of unknown documents with an ObjectId.
 */
export function collectionOf<D extends { readonly _id: string }>(model: Model<D>): mongo.Collection<D>;
export function collectionOf(model: { readonly collection: object }): mongo.Collection<StoredDocument>;
export function collectionOf({ collection }: { readonly collection: object }): unknown {
  return collection;
}
