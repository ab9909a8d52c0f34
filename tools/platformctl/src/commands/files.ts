import { files } from "@platform/contracts/operator/files";
import { imagePresets } from "@platform/contracts/operator/image-presets";
import { FileObjectAdminService, type OperatorPublicAsset } from "@platform/proto/files/v1/file_object_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { isoOrNull } from "../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../pages.ts";
import { topLevel } from "../top-level.ts";

/** Commands for the resources of files-svc. */
export function registerFilesCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "image-presets"), ctl, imagePresets);
  registerResource(topLevel(program, "files"), ctl, files);
  registerPublicAssets(program, ctl);
}

function registerPublicAssets(program: Command, ctl: Ctl): void {
  const objects = () => ctl.connection("files").service(FileObjectAdminService);
  const assets = topLevel(program, "public-assets");
  pageOptions(assets.command("list"))
    .description("List the Public Assets of a project, newest first.")
    .requiredOption("--client <id>", "Project Client id")
    .addHelpText("after", "\nExample:\n  platformctl public-assets list --client <client id>")
    .action(async (options: PageOptions & { client: string }) => {
      const request = { projectClientId: options.client, ...readPage(options) };
      const { publicAssets, nextCursor } = await objects().listPublicAssets(request, ctl.call(options.client));
      printPage(ctl, publicAssets.map(assetRow), nextCursor);
    });
  assets
    .command("take-down")
    .description(
      "Take a Public Asset down: its URLs return 410 from now on, and its bytes are deleted. Prints the URLs to purge from caches. Requires --reason.",
    )
    .requiredOption("--asset <id>", "Public Asset id")
    .addHelpText("after", '\nExample:\n  platformctl public-assets take-down --asset <asset id> --reason "case 4711"')
    .action(async ({ asset: publicAssetId }: { asset: string }) => {
      const { publicAsset } = await objects().takeDownPublicAsset({ publicAssetId }, ctl.call());
      if (publicAsset === undefined) throw new Error("files-svc answered without a Public Asset");
      ctl.print(assetRow(publicAsset));
    });
}

function assetRow(asset: OperatorPublicAsset) {
  const latest = asset.versions.at(-1);
  return {
    id: asset.id,
    project_client_id: asset.projectClientId,
    file_object_id: asset.fileObjectId,
    image_preset_id: asset.imagePresetId,
    status: asset.takenDownAt === undefined ? "published" : "taken_down",
    version: latest?.version ?? 0,
    url: latest?.url ?? null,
    sha256: latest?.sha256 ?? null,
    urls: asset.versions.map(({ url }) => url),
    created_at: isoOrNull(latest?.createdAt),
    taken_down_at: isoOrNull(asset.takenDownAt),
  };
}
