import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { type ImagePreset, imageFormats, presetProblems } from "../../domain/image-preset.ts";
import type { ImagePresetStore } from "../../store/image-presets.ts";

type Rpcs = Implementation<typeof FilesAdminService>;

/** RPCs by which operators approve presets for all Project Clients. */
export function imagePresetRpcs(imagePresets: ImagePresetStore) {
  return {
    createImagePreset: async (request) => {
      const problems = presetProblems(request);
      const format = imageFormats.find((known) => known === request.format);
      if (problems.length > 0 || format === undefined) {
        throw new ServiceError("contract_violation", `This is no image preset: ${problems.join("; ")}.`);
      }
      const { maxWidth, maxHeight, quality } = request;
      const background = request.background === "" ? null : request.background.toLowerCase();
      const preset = await imagePresets.approve(request.name, { format, maxWidth, maxHeight, quality, background });
      return { imagePreset: toImagePresetMessage(preset) };
    },
    listImagePresets: async () => ({ imagePresets: (await imagePresets.list()).map(toImagePresetMessage) }),
  } satisfies Partial<Rpcs>;
}

function toImagePresetMessage(preset: ImagePreset) {
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
