import { createRetentionStore } from "@platform/service-kit/mongo/retention-settings";
import type { Keyring } from "@platform/service-kit/secrets/sealed";
import type { Connection } from "mongoose";
import { createCatalogStore } from "./catalogs.ts";
import { createDeliveryStore } from "./deliveries.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";
import { createDeliverySweeps, retentionDefaults } from "./delivery-retention.ts";
import { createDeliverySearch } from "./delivery-search.ts";
import { createEndpointSearch } from "./endpoint-search.ts";
import { createEndpointStore } from "./endpoints.ts";
import { createNotifyEraser } from "./erase-notify.ts";
import { createProfileTestStore } from "./profile-tests.ts";
import { createSenderProfileStore } from "./sender-profiles.ts";

/** Everything notify-svc keeps. */
export function createStores(connection: Connection, keyring: Keyring) {
  return {
    endpoints: createEndpointStore(connection),
    senderProfiles: createSenderProfileStore(connection, keyring),
    catalogs: createCatalogStore(connection),
    deliveries: createDeliveryStore(connection),
    queue: createDeliveryQueue(connection),
    deliverySearch: createDeliverySearch(connection),
    endpointSearch: createEndpointSearch(connection),
    profileTests: createProfileTestStore(connection, keyring),
    retention: createRetentionStore(connection, retentionDefaults),
    sweeps: createDeliverySweeps(connection),
    eraser: createNotifyEraser(connection),
  };
}

export type Stores = ReturnType<typeof createStores>;
