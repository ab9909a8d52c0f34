import { platformStorage } from "@platform/operator-plane/service";
import { purposeOf as capturedPurpose } from "./store/captured-messages.ts";
import { purposeOf as profileTestPurpose } from "./store/profile-tests.ts";
import { purposeOf as profilePurpose } from "./store/sender-profiles.ts";
import { createStores } from "./store/stores.ts";

/** The stores of notify-svc, for migrations and backups. */
export const storage = platformStorage({
  openStores: createStores,
  sharding: {
    deliveries: { unsharded: "workers claim by lane and due time over all clients and write by _id" },
    delivery_endpoints: { unsharded: "workers claim pushes by due time over all clients" },
    sender_profiles: { unsharded: "a few for each client" },
    sender_profile_tests: { unsharded: "few, and gone once sent" },
    catalogs: { unsharded: "one document for each client" },
    captured_messages: { unsharded: "for 7 days, mostly of sandboxes" },
    catalog_versions: { unsharded: "at most 20 documents for each client" },
    validated_catalogs: { unsharded: "one document for each client" },
  },
  sealed: [
    { collection: "captured_messages", field: "content_sealed", purposeOf: capturedPurpose },
    { collection: "sender_profiles", field: "config_sealed", purposeOf: profilePurpose },
    { collection: "sender_profiles", field: "previous_sealed", purposeOf: profilePurpose },
    { collection: "sender_profile_tests", field: "to_sealed", purposeOf: profileTestPurpose },
  ],
});
