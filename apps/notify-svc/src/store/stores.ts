import type { Keyring } from "@platform/service-kit/secrets/sealed";
import type { Connection } from "mongoose";
import { createCatalogStore } from "./catalogs.ts";
import { createDeliveryStore } from "./deliveries.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";
import { createEndpointStore } from "./endpoints.ts";
import { createSenderProfileStore } from "./sender-profiles.ts";

/** Everything notify-svc keeps. */
export function createStores(connection: Connection, keyring: Keyring) {
  return {
    endpoints: createEndpointStore(connection),
    senderProfiles: createSenderProfileStore(connection, keyring),
    catalogs: createCatalogStore(connection),
    deliveries: createDeliveryStore(connection),
    /** The queue of deliveries, for a worker. */
    openQueue: (options: { clock: () => Date; leaseMs: number }) => createDeliveryQueue(connection, options),
  };
}

export type Stores = ReturnType<typeof createStores>;
