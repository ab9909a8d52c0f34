import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ImagePreset } from "../../domain/image-preset.ts";

/** A preset as it travels. */
export function toImagePresetMessage(preset: ImagePreset) {
  return {
    id: preset.id,
    name: preset.name,
    format: preset.format,
    maxWidth: preset.maxWidth,
    maxHeight: preset.maxHeight,
    quality: preset.quality,
    background: preset.background ?? "",
    revision: preset.revision,
    updatedAt: timestampFromDate(preset.updatedAt),
  };
}
