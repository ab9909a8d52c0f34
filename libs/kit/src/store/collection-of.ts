import type { Model, mongo } from "mongoose";

/** A document of any model, for code that works on all collections. */
export type StoredDocument = mongo.Document & { readonly _id: string };

/** An update of such a document. */
export type StoredUpdate = mongo.UpdateFilter<StoredDocument>;

/**
 * Value for a condition that matches documents without the field. In MongoDB, null matches an absent field, but the
 * driver's types do not allow it.
 */
export const absent = null as never;

/**
 * Returns the driver's collection of a model, for statements that mongoose must neither cast nor validate. Its
 * documents have the model's type and string ids. Mongoose itself types every model's collection as one of unknown
 * documents with an ObjectId.
 */
export function collectionOf<D extends { readonly _id: string }>(model: Model<D>): mongo.Collection<D>;
export function collectionOf(model: { readonly collection: object }): mongo.Collection<StoredDocument>;
export function collectionOf({ collection }: { readonly collection: object }): unknown {
  return collection;
}
