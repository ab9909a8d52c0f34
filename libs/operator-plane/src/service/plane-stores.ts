import type { ServiceStorage } from "@platform/kit/service/storage";
import { kitSharding, type MongoConnection, type Sharding } from "@platform/kit/store/schema";
import { createOperatorActionStore, type OperatorActionStore } from "../operators/operator-actions.ts";

/** The stores for operators that every service has in its database. */
export type PlaneStores = { readonly actions: OperatorActionStore };

export function openPlaneStores(connection: MongoConnection): PlaneStores {
  return { actions: createOperatorActionStore(connection) };
}

/** Rules of the collections that serve operators. */
const planeSharding: Sharding = {
  operator_actions: { unsharded: "an operator's act is one write, listed over all clients" },
  usage_counts: {
    unsharded: "one write for each client and hour, by an _id that begins with the client",
    isOptional: true,
  },
  retention_settings: { unsharded: "one document for each client and kind", isOptional: true },
};

/**
 * Returns the storage of a service of the platform: its own collections, and those that every service has for
 * operators.
 */
export function platformStorage(own: ServiceStorage): ServiceStorage {
  return {
    ...own,
    openStores: (connection, keyring) => {
      own.openStores(connection, keyring);
      openPlaneStores(connection);
    },
    sharding: { ...kitSharding, ...planeSharding, ...own.sharding },
  };
}
