import { ownerOfBlobKey } from "../domain/blob-key.ts";
import type { FileObjectState } from "../domain/file-object.ts";
import type { FileObjectModel } from "./file-object-model.ts";
import type { PublicAssetModels } from "./public-assets.ts";

/**
 * What the database records about stored bytes: a record needs them, a record plans to delete them, or there is no
 * record.
 */
export type BytesUse = "needed" | "released" | "unknown";

/** Looks up stored bytes by their keys. */
export type BytesRecords = {
  /** Returns the use of each key, with one query for each of the two kinds of resources. */
  usesOf(keys: readonly string[]): Promise<ReadonlyMap<string, BytesUse>>;
};

const needing: ReadonlySet<FileObjectState> = new Set(["uploading", "quarantined", "available"]);
const releasing: ReadonlySet<FileObjectState> = new Set(["deleted", "rejected"]);

export function createBytesRecords(files: FileObjectModel, { assets }: PublicAssetModels): BytesRecords {
  return {
    usesOf: async (keys) => {
      const owners = keys.flatMap((key) => {
        const owner = ownerOfBlobKey(key);
        return owner === null ? [] : [{ key, ...owner }];
      });
      const idsOf = (area: string): string[] => owners.filter((one) => one.area === area).map(({ ownerId }) => ownerId);
      const [foundFiles, foundAssets] = await Promise.all([
        files.find({ _id: { $in: idsOf("objects") } }, { state: 1 }).lean<{ _id: string; state: FileObjectState }[]>(),
        assets
          .find({ _id: { $in: idsOf("public") } }, { "versions.sha256": 1, taken_down_at: 1 })
          .lean<{ _id: string; versions: { sha256: string }[]; taken_down_at?: Date | null }[]>(),
      ]);
      const states = new Map(foundFiles.map(({ _id, state }) => [_id, state]));
      const published = new Map(foundAssets.map((asset) => [asset._id, asset]));
      const useOf = ({ area, ownerId, sha256 }: (typeof owners)[number]): BytesUse => {
        if (area === "objects") {
          const state = states.get(ownerId);
          if (state === undefined) return "unknown";
          return needing.has(state) ? "needed" : releasing.has(state) ? "released" : "unknown";
        }
        const asset = published.get(ownerId);
        if (asset === undefined) return "unknown";
        if ((asset.taken_down_at ?? null) !== null) return "released";
        return asset.versions.some((version) => version.sha256 === sha256) ? "needed" : "unknown";
      };
      return new Map(owners.map((owner) => [owner.key, useOf(owner)]));
    },
  };
}
