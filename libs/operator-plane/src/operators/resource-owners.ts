import type { StoredDocument } from "@platform/kit/store/documents";
import type { Connection } from "mongoose";

/** Where a service stores resources that operators' requests name. */
export type ResourceOwner = {
  readonly collection: string;
  /** The field that contains the Project Client; "project_client_id" by default. */
  readonly client?: string;
  /**
   * Set if the resource belongs to another resource: the field that contains the other resource's id, and the request
   * field under which the other resource is listed.
   */
  readonly ownedBy?: { readonly field: string; readonly as: string };
  /** Converts an id to its stored form, if requests may contain another form. */
  readonly idOf?: (text: string) => string;
};

/** Resources by the request field that contains their id, such as `operation_id`. */
export type ResourceOwners = Readonly<Record<string, ResourceOwner>>;

/** Finds the Project Client that owns a resource; null if the resource does not exist or belongs to no client. */
export type FindOwner = (requestField: string, id: string) => Promise<string | null>;

export function createFindOwner(connection: Connection, owners: ResourceOwners): FindOwner {
  const find: FindOwner = async (requestField, id) => {
    const owner = owners[requestField];
    if (owner === undefined || id === "") return null;
    const { collection, client = "project_client_id", ownedBy, idOf = (text: string) => text } = owner;
    const field = ownedBy?.field ?? client;
    const found = await connection
      .collection<StoredDocument>(collection)
      .findOne({ _id: idOf(id) }, { projection: { [field]: 1 } });
    const value: unknown = found?.[field];
    if (typeof value !== "string" || value === "") return null;
    return ownedBy === undefined ? value : find(ownedBy.as, value);
  };
  return find;
}
