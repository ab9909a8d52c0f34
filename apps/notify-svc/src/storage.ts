import { platformStorage } from "@platform/operator-plane/service";
import { purposeOf as profileTestPurpose } from "./store/profile-tests.ts";
import { purposeOf as profilePurpose } from "./store/sender-profiles.ts";
import { createStores } from "./store/stores.ts";

/** What notify-svc keeps. */
export const storage = platformStorage({
  openStores: createStores,
  sharding: {
    deliveries: { unsharded: "workers claim by lane and due time over all clients and write by _id" },
    delivery_endpoints: { unsharded: "workers claim pushes by due time over all clients" },
    sender_profiles: { unsharded: "a few for each client" },
    sender_profile_tests: { unsharded: "few, and gone once sent" },
    catalogs: { unsharded: "one document for each client" },
    catalog_versions: { unsharded: "at most 20 documents for each client" },
    validated_catalogs: { unsharded: "one document for each client" },
  },
  sealed: [
    { collection: "sender_profiles", field: "config_sealed", purposeOf: profilePurpose },
    { collection: "sender_profiles", field: "previous_sealed", purposeOf: profilePurpose },
    { collection: "sender_profile_tests", field: "to_sealed", purposeOf: profileTestPurpose },
  ],
});
