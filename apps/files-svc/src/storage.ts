import { platformStorage } from "@platform/operator-plane/service";
import { registerModels } from "./open-files-context.ts";
import { orphanCandidatesCollection } from "./store/orphan-candidates.ts";

/** The stores of files-svc, for migrations and backups. */
export const storage = platformStorage({
  openStores: registerModels,
  sharding: {
    file_objects: { unsharded: "unique by upload token, which comes without a client; workers claim by due time" },
    download_grants: { unsharded: "unique by token, which comes without a client" },
    public_assets: { unsharded: "read by _id, which comes without a client" },
    publications: { unsharded: "one small document for each publication" },
    bucket_ownership: { unsharded: "one document" },
    orphan_candidates: { unsharded: "a few that no record needs, by key" },
    image_presets: { unsharded: "a few for all clients" },
  },
  sealed: [],
  leases: [orphanCandidatesCollection],
});
