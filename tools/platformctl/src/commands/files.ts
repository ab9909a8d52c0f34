import { timestampDate } from "@bufbuild/protobuf/wkt";
import { FilesAdminService, type ImagePreset } from "@platform/proto/files/v1/files_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { UsageError } from "../usage-error.ts";

/** Commands of what files-svc owns. */
export function registerFilesCommands(program: Command, ctl: Ctl): void {
  registerImagePresets(program, ctl);
  registerFileObjects(program, ctl);
}

function registerImagePresets(program: Command, ctl: Ctl): void {
  const presets = program
    .command("image-presets")
    .description("Approve the presets that images may be published under (for every Project Client).");
  presets
    .command("create")
    .description(
      "Approve a preset. The same name with other settings makes a new revision under the same id; assets published after that count a version up.",
    )
    .requiredOption("--name <name>", "lower-case letters, digits, . _ -")
    .requiredOption("--format <format>", "jpeg, png, webp or avif")
    .requiredOption("--max-width <pixels>", "images are scaled down to fit, never up", readInteger)
    .requiredOption("--max-height <pixels>", "images are scaled down to fit, never up", readInteger)
    .requiredOption("--quality <1-100>", "png ignores it", readInteger)
    .addHelpText(
      "after",
      "\nExample:\n  platformctl image-presets create --name avatar --format webp --max-width 512 --max-height 512 --quality 80",
    )
    .action(async (options: PresetOptions) => {
      const { imagePreset } = await ctl
        .connection("files")
        .service(FilesAdminService)
        .createImagePreset(options, ctl.call());
      if (imagePreset === undefined) throw new Error("files-svc answered without a preset");
      ctl.print({ id: imagePreset.id });
    });
  presets
    .command("list")
    .description("List the approved presets, oldest first.")
    .action(async () => {
      const { imagePresets } = await ctl
        .connection("files")
        .service(FilesAdminService)
        .listImagePresets({}, ctl.call());
      ctl.print(imagePresets.map(presetRow));
    });
}

function registerFileObjects(program: Command, ctl: Ctl): void {
  program
    .command("files")
    .description("Look at File Objects; their bytes are never shown.")
    .command("show")
    .description("Show a File Object's state, size in bytes, charge and scan record.")
    .requiredOption("--client <id>", "Project Client id")
    .requiredOption("--file <id>", "File Object id")
    .addHelpText("after", "\nExample:\n  platformctl files show --client <client id> --file <file object id>")
    .action(async ({ client, file }: { client: string; file: string }) => {
      const shown = await ctl
        .connection("files")
        .service(FilesAdminService)
        .getFileObject({ projectClientId: client, fileObjectId: file }, ctl.call(client));
      ctl.print({
        id: shown.id,
        state: shown.state,
        rejection_reason: shown.rejectionReason === "" ? null : shown.rejectionReason,
        size_bytes: Number(shown.sizeBytes),
        charged_bytes: Number(shown.chargedBytes),
        malware_scan: shown.malwareScan === "" ? null : shown.malwareScan,
        created_at: shown.createdAt === undefined ? null : timestampDate(shown.createdAt).toISOString(),
      });
    });
}

type PresetOptions = { name: string; format: string; maxWidth: number; maxHeight: number; quality: number };

function presetRow(preset: ImagePreset): Record<string, unknown> {
  return {
    id: preset.id,
    name: preset.name,
    format: preset.format,
    max_width: preset.maxWidth,
    max_height: preset.maxHeight,
    quality: preset.quality,
    revision: preset.revision,
  };
}

function readInteger(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`not a whole number: ${text}`);
  return Number(text);
}
