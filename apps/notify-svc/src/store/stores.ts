import type { Keyring } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { createOutbox } from "@platform/kit/store/documents";
import { createPlatformFacts } from "@platform/operator-plane/platform-events";
import { createRetentionStore } from "@platform/operator-plane/retention";
import { createUsageStore } from "@platform/operator-plane/usage/store";
import type { Connection } from "mongoose";
import { createCapturedMessageStore } from "./captured-messages.ts";
import { createCatalogStore } from "./catalogs.ts";
import { createDeliveryStore } from "./deliveries.ts";
import { deliveryModel } from "./delivery-model.ts";
import { createDeliveryQueue } from "./delivery-queue.ts";
import { createDeliverySweeps, retentionDefaults } from "./delivery-retention.ts";
import { createDeliverySearch } from "./delivery-search.ts";
import { endpointModel } from "./endpoint-model.ts";
import { createEndpointSearch } from "./endpoint-search.ts";
import { createEndpointStore } from "./endpoints.ts";
import { createNotifyEraser } from "./erase-notify.ts";
import { createMailReportStore } from "./mail-reports.ts";
import { createProfileTestStore } from "./profile-tests.ts";
import { senderProfileModel } from "./sender-profile-model.ts";
import { createSenderProfileStore, watchFailingProfiles } from "./sender-profiles.ts";
import { createValidatedCatalogStore } from "./validated-catalogs.ts";

/** All stores of notify-svc. */
export function createStores(connection: Connection, keyring: Keyring) {
  const facts = createPlatformFacts();
  return {
    /** Creates platform events for the Project Clients that have turned them on. */
    facts,
    outboxes: [deliveryModel(connection), endpointModel(connection), senderProfileModel(connection)].map(createOutbox),
    /** Creates the job that notifies clients of failing sender profiles, for a worker. */
    watchFailingProfiles: (options: { clock: () => Date; logger: Logger }) =>
      watchFailingProfiles(connection, facts, options),
    endpoints: createEndpointStore(connection, facts),
    senderProfiles: createSenderProfileStore(connection, keyring),
    captured: createCapturedMessageStore(connection, keyring),
    catalogs: createCatalogStore(connection),
    validatedCatalogs: createValidatedCatalogStore(connection),
    deliveries: createDeliveryStore(connection),
    /** Opens the queue of deliveries, for a worker. */
    openQueue: (options: { clock: () => Date; leaseMs: number }) => createDeliveryQueue(connection, facts, options),
    deliverySearch: createDeliverySearch(connection),
    endpointSearch: createEndpointSearch(connection),
    mailReports: createMailReportStore(connection, facts),
    profileTests: createProfileTestStore(connection, keyring),
    retention: createRetentionStore(connection, retentionDefaults),
    sweeps: createDeliverySweeps(connection),
    usage: createUsageStore(connection),
    eraser: createNotifyEraser(connection),
  };
}

export type Stores = ReturnType<typeof createStores>;
