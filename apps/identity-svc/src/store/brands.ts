import { collectionOf, isDuplicateKey, type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { Brand } from "../domain/brand.ts";

/** The stored brand of a Project Client. */
export type StoredBrand = Brand & {
  readonly project_client_id: string;
  /** Increases with each change. */
  readonly revision: number;
  readonly created_at: Date;
};

type BrandDocument = Omit<StoredBrand, "project_client_id"> & { _id: string };

const schema = new Schema<BrandDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    logo_url: { type: String, default: null },
    colour: { type: String, default: null },
    terms_url: { type: String, default: null },
    privacy_url: { type: String, default: null },
    revision: { type: Number, required: true },
    created_at: { type: Date, required: true },
  },
  { strict: "throw", versionKey: false, collection: "brands" },
);
// Index for operators' lists, newest first.
schema.index({ created_at: 1, _id: 1 });

/** Stores the brands of Project Clients. Each is found by the id of its Project Client. */
export type BrandStore = {
  /** @returns false if the client already has a brand */
  insert(clientId: string, brand: Brand, now: Date): Promise<boolean>;
  find(clientId: string): Promise<StoredBrand | null>;
  list(page: PageRequest): Promise<Page<StoredBrand>>;
  /** Replaces a brand. Returns null if the stored brand has another revision, or if there is none. */
  replace(clientId: string, brand: Brand, revision: number): Promise<StoredBrand | null>;
  delete(clientId: string): Promise<void>;
};

export function createBrandStore(connection: Connection): BrandStore {
  const model = connection.model<BrandDocument>("Brand", schema);
  const fromDocument = ({ _id, ...rest }: BrandDocument): StoredBrand => ({ project_client_id: _id, ...rest });
  return {
    insert: async (clientId, brand, now) => {
      try {
        await collectionOf(model).insertOne({ _id: clientId, ...brand, revision: 1, created_at: now });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    find: async (clientId) => {
      const document = await model.findById(clientId).lean<BrandDocument>();
      return document === null ? null : fromDocument(document);
    },
    list: async (page) => {
      const { items, nextCursor } = await readPage<BrandDocument>(model, {}, page);
      return { items: items.map(fromDocument), nextCursor };
    },
    replace: async (clientId, brand, revision) => {
      const document = await model
        .findOneAndUpdate(
          { _id: clientId, revision },
          { $set: brand, $inc: { revision: 1 } },
          { returnDocument: "after" },
        )
        .lean<BrandDocument>();
      return document === null ? null : fromDocument(document);
    },
    delete: async (clientId) => {
      await collectionOf(model).deleteOne({ _id: clientId });
    },
  };
}
