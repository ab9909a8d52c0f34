import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import {
  absent,
  collectionOf,
  type IdempotencyClaim,
  indexOutbox,
  insertOnce,
  insertOrFind,
  newestIdFirst,
  type OutboxFields,
  outboxSchema,
  type Page,
  type PageRequest,
  readPage,
  withFact,
} from "@platform/kit/store/documents";
import { platformFact, platformLogId } from "@platform/operator-plane/platform-events";
import { type Connection, type Model, Schema } from "mongoose";
import { type ImageFormat, publicAssetUrl } from "../domain/image-preset.ts";

/** One published version of an asset. Its bytes never change. */
export type PublicAssetVersion = {
  readonly version: number;
  readonly preset_revision: number;
  readonly format: ImageFormat;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly created_at: Date;
};

type PublicAssetDocument = OutboxFields & {
  _id: string;
  project_client_id: string;
  file_object_id: string;
  image_preset_id: string;
  versions: PublicAssetVersion[];
  /** Absent unless an operator took it down. */
  taken_down_at?: Date;
};

/** The claim and the outcome of an idempotency key. The claim is written before the work, and the outcome after it. */
type PublicationDocument = {
  _id: string;
  project_client_id: string;
  idempotency_key: string;
  idempotency_fingerprint: string;
  public_asset_id: string | null;
  version: PublicAssetVersion | null;
};

const text = { type: String, required: true } as const;
const number = { type: Number, required: true } as const;
const version = new Schema<PublicAssetVersion>(
  {
    version: number,
    preset_revision: number,
    format: text,
    sha256: text,
    size_bytes: number,
    created_at: { type: Date, required: true },
  },
  { _id: false, strict: "throw" },
);

const assetSchema = new Schema<PublicAssetDocument>(
  {
    _id: text,
    project_client_id: text,
    file_object_id: text,
    image_preset_id: text,
    versions: [version],
    taken_down_at: Date,
    ...outboxSchema,
  },
  { collection: "public_assets", strict: "throw", versionKey: false },
);
assetSchema.index({ project_client_id: 1, file_object_id: 1, image_preset_id: 1 }, { unique: true });
indexOutbox(assetSchema);

// Index for operators' lists of assets, newest first, because ids sort by time of creation.
assetSchema.index({ project_client_id: 1, _id: 1 });

const publicationSchema = new Schema<PublicationDocument>(
  {
    _id: text,
    project_client_id: text,
    idempotency_key: text,
    idempotency_fingerprint: text,
    public_asset_id: { type: String, default: null },
    version: { type: version, default: null },
  },
  { collection: "publications", strict: "throw", versionKey: false },
);
publicationSchema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });

export type PublicAssetModels = {
  readonly assets: Model<PublicAssetDocument>;
  readonly publications: Model<PublicationDocument>;
};

export function publicAssetModels(connection: Connection): PublicAssetModels {
  return {
    assets: connection.model<PublicAssetDocument>("PublicAsset", assetSchema),
    publications: connection.model<PublicationDocument>("Publication", publicationSchema),
  };
}

export type PublishedAsset = { readonly id: string; readonly version: PublicAssetVersion };

/** The current state of an asset. It may have no version yet. */
export type OpenAsset = { readonly id: string; readonly versions: readonly PublicAssetVersion[] };

/** An asset in the form that operators see. */
export type ListedAsset = OpenAsset & {
  readonly projectClientId: string;
  readonly fileObjectId: string;
  readonly imagePresetId: string;
  readonly takenDownAt: Date | null;
};

function toListedAsset(document: PublicAssetDocument): ListedAsset {
  return {
    id: document._id,
    projectClientId: document.project_client_id,
    fileObjectId: document.file_object_id,
    imagePresetId: document.image_preset_id,
    versions: document.versions,
    takenDownAt: document.taken_down_at ?? null,
  };
}

export type PublicAssetStore = ReturnType<typeof createPublicAssetStore>;

type PublicAssetOptions = { readonly clock: () => Date; readonly publicBaseUrl: string };

/**
 * Stores Public Assets. There is one for each combination of Project Client, File Object and preset, with a version
 * for each revision of the preset under which it was published.
 */
export function createPublicAssetStore(
  { assets, publications }: PublicAssetModels,
  { clock, publicBaseUrl }: PublicAssetOptions,
) {
  const findAsset = (
    identity: Pick<PublicAssetDocument, "project_client_id" | "file_object_id" | "image_preset_id">,
  ): Promise<PublicAssetDocument | null> => assets.findOne(identity).lean<PublicAssetDocument>().exec();
  const toOpenAsset = ({ _id, versions }: PublicAssetDocument): OpenAsset => ({ id: _id, versions });
  return {
    /**
     * Claims an idempotency key.
     * @returns what the key has published before, or null if it still has to be published
     * @throws ServiceError idempotency_key_reused
     */
    claimKey: async (clientId: string, claim: IdempotencyClaim): Promise<PublishedAsset | null> => {
      const { document } = await insertOnce<PublicationDocument>(publications, {
        _id: newId(),
        project_client_id: clientId,
        idempotency_key: claim.key,
        idempotency_fingerprint: claim.fingerprint,
        public_asset_id: null,
        version: null,
      });
      if (document.public_asset_id === null || document.version === null) return null;
      return { id: document.public_asset_id, version: document.version };
    },

    /** Records what a key has published. An existing record does not change. */
    settleKey: async (clientId: string, claim: IdempotencyClaim, published: PublishedAsset): Promise<void> => {
      await publications.updateOne(
        { project_client_id: clientId, idempotency_key: claim.key, public_asset_id: null },
        { $set: { public_asset_id: published.id, version: published.version } },
      );
    },

    /** Finds the asset of this file and preset. Null if it was never created. */
    find: async (clientId: string, fileObjectId: string, imagePresetId: string): Promise<OpenAsset | null> => {
      const identity = { project_client_id: clientId, file_object_id: fileObjectId, image_preset_id: imagePresetId };
      const document = await findAsset(identity);
      return document === null ? null : toOpenAsset(document);
    },

    /**
     * Returns the asset of this file and preset, and creates it without a version if it does not exist. Its id never
     * changes.
     */
    open: async (clientId: string, fileObjectId: string, imagePresetId: string): Promise<OpenAsset> => {
      const identity = { project_client_id: clientId, file_object_id: fileObjectId, image_preset_id: imagePresetId };
      const made = { _id: newId(), ...identity, versions: [] };
      const insert = () => collectionOf(assets).insertOne(made);
      return toOpenAsset((await insertOrFind(made, insert, () => findAsset(identity))) ?? made);
    },

    /**
     * Adds the next version, unless this revision of the preset was published in the meantime.
     * @param asset the asset as it was last read; others may have added versions since
     * @returns the version of that revision, even if another caller created it
     */
    addVersion: async (
      clientId: string,
      { id, versions: seen }: OpenAsset,
      made: Omit<PublicAssetVersion, "version" | "created_at">,
    ): Promise<PublicAssetVersion> => {
      for (let versions = seen; ; ) {
        const known = versions.find((one) => one.preset_revision === made.preset_revision);
        if (known !== undefined) return known;
        const count = versions.length;
        const next = { ...made, version: count + 1, created_at: clock() };
        // The filter contains the number of versions, so that only one of two publishers succeeds. The other one
        // reads the asset again.
        const result = await assets.updateOne(
          { _id: id, project_client_id: clientId, versions: { $size: count } },
          { $push: { versions: next } },
        );
        if (result.modifiedCount === 1) return next;
        const document = await assets.findOne({ _id: id, project_client_id: clientId }).lean<PublicAssetDocument>();
        if (document === null) throw new Error("a Public Asset vanished while it was published");
        versions = document.versions;
      }
    },

    /**
     * The version of a public URL, whether or not it was taken down; null if there is none. Anyone who has the URL may
     * read it.
     */
    findPublic: async (
      assetId: string,
      sha256: string,
    ): Promise<{ readonly version: PublicAssetVersion; readonly isTakenDown: boolean } | null> => {
      const document = await assets.findOne({ _id: assetId, "versions.sha256": sha256 }).lean<PublicAssetDocument>();
      const version = document?.versions.find((one) => one.sha256 === sha256);
      if (document === null || version === undefined) return null;
      return { version, isTakenDown: document.taken_down_at !== undefined };
    },

    /** A page of a client's assets, newest first. */
    list: async (clientId: string, page: PageRequest): Promise<Page<ListedAsset>> => {
      const { items, nextCursor } = await readPage<PublicAssetDocument>(assets, { project_client_id: clientId }, page, {
        order: newestIdFirst,
      });
      return { items: items.map(toListedAsset), nextCursor };
    },

    /** Ids of a client's assets that have not been taken down. */
    listPublished: async (clientId: string, limit: number): Promise<string[]> => {
      const found = await assets
        .find({ project_client_id: clientId, taken_down_at: null }, { _id: 1 })
        .limit(limit)
        .lean<{ _id: string }[]>();
      return found.map(({ _id }) => _id);
    },

    /**
     * Takes down every version of an asset, including later ones. The time of the first call is kept. The same write
     * publishes an event in the platform's own log, with the URLs that caches have to purge. Null if there is no such
     * asset, or if it belongs to another client than the given one.
     */
    takeDown: async (assetId: string, clientId: string | null): Promise<ListedAsset | null> => {
      for (;;) {
        const wanted = defined({ _id: assetId, project_client_id: clientId });
        const document = await assets.findOne(wanted).lean<PublicAssetDocument>();
        if (document === null) return null;
        if ((document.taken_down_at ?? null) !== null) return toListedAsset(document);
        const now = clock();
        const { project_client_id, versions } = document;
        const urls = versions.map((one) => publicAssetUrl(publicBaseUrl, assetId, one));
        const data = { project_client_id, urls };
        const purge = platformFact({ resource: "public_asset", id: assetId, state: "taken_down", data }, now);
        // The filter contains the number of versions, so that the event lists every version that caches may have.
        await collectionOf(assets).updateOne(
          { _id: assetId, taken_down_at: absent, versions: { $size: versions.length } },
          withFact({ $set: { taken_down_at: now } }, { ...purge, client_id: platformLogId }),
        );
      }
    },
  };
}
