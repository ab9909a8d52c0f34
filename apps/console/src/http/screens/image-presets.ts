import { imagePresets as table } from "@platform/contracts/operator/image-presets";
import { screenOf } from "../resource-screen.ts";

export const imagePresets = screenOf(table);
