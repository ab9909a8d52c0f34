import type { Implementation } from "@platform/kit/rpc/server";
import type { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import type { ImagePresetStore } from "../../store/image-presets.ts";
import { toImagePresetMessage } from "./image-preset-message.ts";

/** Lists every approved preset. */
export function listImagePresets(
  imagePresets: ImagePresetStore,
): Implementation<typeof FilesAdminService>["listImagePresets"] {
  return async () => ({ imagePresets: (await imagePresets.list()).map(toImagePresetMessage) });
}
