import { newId } from "@platform/kit/process/secrets";
import { collectionOf, insertOrFind } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema } from "mongoose";
import type { ImageFormat, ImagePreset, ImageSettings } from "../domain/image-preset.ts";

type ImagePresetDocument = {
  _id: string;
  name: string;
  format: ImageFormat;
  max_width: number;
  max_height: number;
  quality: number;
  /** Missing from presets that earlier versions stored. */
  background?: string | null;
  revision: number;
  created_at: Date;
  updated_at: Date;
};

const text = { type: String, required: true } as const;
const number = { type: Number, required: true } as const;
const date = { type: Date, required: true } as const;

const schema = new Schema<ImagePresetDocument>(
  {
    _id: text,
    name: text,
    format: text,
    max_width: number,
    max_height: number,
    quality: number,
    background: String,
    revision: number,
    created_at: date,
    updated_at: date,
  },
  { collection: "image_presets", strict: "throw", versionKey: false },
);
schema.index({ name: 1 }, { unique: true });

export type ImagePresetModel = Model<ImagePresetDocument>;

export function imagePresetModel(connection: Connection): ImagePresetModel {
  return connection.model<ImagePresetDocument>("ImagePreset", schema);
}

export type ImagePresetStore = ReturnType<typeof createImagePresetStore>;

/** Stores image presets, which operators approve and every Project Client may use. */
export function createImagePresetStore(model: ImagePresetModel, clock: () => Date) {
  const fields = (settings: ImageSettings) => ({
    format: settings.format,
    max_width: settings.maxWidth,
    max_height: settings.maxHeight,
    quality: settings.quality,
    background: settings.background,
  });
  const findByName = (name: string) => model.findOne({ name }).lean<ImagePresetDocument>();

  return {
    /**
     * Approves a preset. If the name exists with other settings, this creates the next revision of that preset. With
     * the same settings, nothing changes.
     */
    approve: async (name: string, settings: ImageSettings): Promise<ImagePreset> => {
      const now = clock();
      const made = { _id: newId(), name, ...fields(settings), revision: 1, created_at: now, updated_at: now };
      const insert = () => collectionOf(model).insertOne(made);
      if ((await insertOrFind(made, insert, () => findByName(name))) === null) return toImagePreset(made);
      const differs = Object.entries(fields(settings)).map(([field, value]) => ({ [field]: { $ne: value } }));
      await model.updateOne(
        { name, $or: differs },
        { $set: { ...fields(settings), updated_at: now }, $inc: { revision: 1 } },
      );
      const document = await findByName(name);
      if (document === null) throw new Error("an image preset vanished while it was approved");
      return toImagePreset(document);
    },
    find: async (id: string): Promise<ImagePreset | null> => {
      const document = await model.findOne({ _id: id }).lean<ImagePresetDocument>();
      return document === null ? null : toImagePreset(document);
    },
    list: async (): Promise<ImagePreset[]> => {
      const documents = await model.find({}).sort({ _id: 1 }).lean<ImagePresetDocument[]>();
      return documents.map(toImagePreset);
    },
  };
}

function toImagePreset(document: ImagePresetDocument): ImagePreset {
  return {
    id: document._id,
    name: document.name,
    format: document.format,
    maxWidth: document.max_width,
    maxHeight: document.max_height,
    quality: document.quality,
    background: document.background ?? null,
    revision: document.revision,
    updatedAt: document.updated_at,
  };
}
