import { collectionOf, type StoredDocument } from "@platform/kit/store/documents";
import type { Collection } from "mongodb";

export type { StoredDocument };

/**
 * Returns the collection behind a model without the type of its documents: for tests that store a document as an earlier version or a damaged
 * process left it, or only the fields that the tested code reads.
 */
export function untypedCollection(model: { readonly collection: object }): Collection<StoredDocument> {
  return collectionOf({ collection: model.collection });
}
