import { files } from "@platform/contracts/operator/files";
import { imagePresets } from "@platform/contracts/operator/image-presets";
import { publicAssets } from "@platform/contracts/operator/public-assets";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { topLevel } from "../top-level.ts";

/** Commands for the resources of files-svc. */
export function registerFilesCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "image-presets"), ctl, imagePresets);
  registerResource(topLevel(program, "files"), ctl, files);
  registerResource(topLevel(program, "public-assets"), ctl, publicAssets);
}
