import { imagePresets } from "@platform/contracts/operator/image-presets";
import {
  FileObjectAdminService,
  type OperatorFileObject,
  type OperatorPublicAsset,
} from "@platform/proto/files/v1/file_object_admin";
import { FilesAdminService, type GetFileObjectResponse } from "@platform/proto/files/v1/files_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { isoOrNull } from "../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../pages.ts";
import { topLevel } from "../top-level.ts";

/** Commands of what files-svc owns. */
export function registerFilesCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "image-presets"), ctl, imagePresets);
  registerFileObjects(program, ctl);
}

function registerFileObjects(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("files").service(FilesAdminService);
  const objects = () => ctl.connection("files").service(FileObjectAdminService);
  const files = topLevel(program, "files");
  pageOptions(files.command("list"))
    .description("List the File Objects of a client, or of every client, newest first.")
    .option("--client <id>", "only those of this Project Client")
    .option("--status <status>", "pending_upload, quarantined, available, rejected or deleted")
    .addHelpText("after", "\nExample:\n  platformctl files list --client <client id> --status quarantined")
    .action(async (options: PageOptions & { client?: string; status?: string }) => {
      const { client, status = "" } = options;
      const reply = await objects().listFileObjects(
        { projectClientId: client ?? "", status, ...readPage(options) },
        ctl.call(client),
      );
      printPage(ctl, reply.fileObjects.map(fileRow), reply.nextCursor);
    });
  files
    .command("show")
    .description("Show a File Object's state, size in bytes, charge and scan record.")
    .requiredOption("--file <id>", "File Object id")
    .option("--client <id>", "the Project Client it must be of")
    .addHelpText("after", "\nExample:\n  platformctl files show --file <file object id>")
    .action(async ({ client = "", file }: { client?: string; file: string }) => {
      ctl.print(fileForm(await admin().getFileObject({ projectClientId: client, fileObjectId: file }, ctl.call())));
    });
  files
    .command("delete")
    .description(
      "Delete a File Object's bytes and give its storage back; for its client it is gone. Asks for --reason.",
    )
    .requiredOption("--file <id>", "File Object id")
    .addHelpText("after", '\nExample:\n  platformctl files delete --file <file object id> --reason "case 4711"')
    .action(async ({ file: fileObjectId }: { file: string }) => {
      const { fileObject } = await objects().deleteFileObject({ fileObjectId }, ctl.call());
      if (fileObject === undefined) throw new Error("files-svc answered without a File Object");
      ctl.print(fileForm(fileObject));
    });

  const assets = topLevel(program, "public-assets");
  pageOptions(assets.command("list"))
    .description("List a client's Public Assets, newest first.")
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
      "Answer a Public Asset with 410 from now on and delete its bytes; prints the URLs to purge. Asks for --reason.",
    )
    .requiredOption("--asset <id>", "Public Asset id")
    .addHelpText("after", '\nExample:\n  platformctl public-assets take-down --asset <asset id> --reason "case 4711"')
    .action(async ({ asset: publicAssetId }: { asset: string }) => {
      const { publicAsset } = await objects().takeDownPublicAsset({ publicAssetId }, ctl.call());
      if (publicAsset === undefined) throw new Error("files-svc answered without a Public Asset");
      ctl.print(assetRow(publicAsset));
    });
}

function fileForm(file: GetFileObjectResponse) {
  return {
    id: file.id,
    project_client_id: file.projectClientId,
    state: file.state,
    rejection_reason: file.rejectionReason === "" ? null : file.rejectionReason,
    size_bytes: Number(file.sizeBytes),
    charged_bytes: Number(file.chargedBytes),
    malware_scan: file.malwareScan === "" ? null : file.malwareScan,
    created_at: isoOrNull(file.createdAt),
    deleted_at: isoOrNull(file.deletedAt),
  };
}

function fileRow(file: OperatorFileObject) {
  return {
    id: file.id,
    project_client_id: file.projectClientId,
    status: file.status,
    state: file.state,
    rejection_reason: file.rejectionReason === "" ? null : file.rejectionReason,
    content_type: file.contentType,
    size_bytes: Number(file.sizeBytes),
    charged_bytes: Number(file.chargedBytes),
    malware_scan: file.malwareScan === "" ? null : file.malwareScan,
    created_at: isoOrNull(file.createdAt),
    uploaded_at: isoOrNull(file.uploadedAt),
    deleted_at: isoOrNull(file.deletedAt),
  };
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
