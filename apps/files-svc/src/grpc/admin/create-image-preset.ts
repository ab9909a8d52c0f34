import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { imageFormats, presetProblems } from "../../domain/image-preset.ts";
import type { ImagePresetStore } from "../../store/image-presets.ts";
import { toImagePresetMessage } from "./image-preset-message.ts";

/** Approves a preset for every Project Client. */
export function createImagePreset(
  imagePresets: ImagePresetStore,
): Implementation<typeof FilesAdminService>["createImagePreset"] {
  return async (request) => {
    const problems = presetProblems(request);
    const format = imageFormats.find((known) => known === request.format);
    if (problems.length > 0 || format === undefined) {
      throw new ServiceError("contract_violation", `This is no image preset: ${problems.join("; ")}.`);
    }
    const { maxWidth, maxHeight, quality } = request;
    const background = request.background === "" ? null : request.background.toLowerCase();
    const preset = await imagePresets.approve(request.name, { format, maxWidth, maxHeight, quality, background });
    return { imagePreset: toImagePresetMessage(preset) };
  };
}
