import { FileObjectAdminService, OperatorPublicAssetSchema } from "@platform/proto/files/v1/file_object_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = FileObjectAdminService.method;

/**
 * Images that a project has published. Taking one down requires the project's name as a confirmation, for which the
 * console has hand-written code.
 */
export const publicAssets = resource({
  name: "public-assets",
  noun: "Public Asset",
  title: "Public Assets",
  row: OperatorPublicAssetSchema,
  subject: { field: "publicAssetId", option: "asset", explanation: "Public Asset id" },
  paths: { list: "/files/assets" },
  above: ["Files", "/files"],
  columns: [
    { field: "id", title: "Public Asset", kind: "id" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients" },
    { field: "fileObjectId", title: "File Object", kind: "id", page: "/files" },
    { field: "imagePresetId", title: "Image preset", kind: "id" },
    {
      field: "takenDownAt",
      key: "status",
      title: "Status",
      kind: "state",
      words: ["taken_down", "published"],
      isWordPrinted: true,
    },
    { field: "versions", key: "version", title: "Version", last: "version", isZeroIfAbsent: true },
    { field: "versions", key: "url", title: "Latest URL", last: "url" },
    { field: "versions", key: "sha256", title: "SHA-256", last: "sha256" },
    { field: "versions", key: "urls", title: "URLs", each: "url" },
    { field: "versions", key: "created_at", title: "Version published", kind: "time", last: "createdAt" },
    { field: "takenDownAt", title: "Taken down", kind: "time" },
  ],
  shown: {
    list: ["id", "status", "fileObjectId", "version", "url", "created_at", "takenDownAt"],
    page: [],
    question: ["id"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listPublicAssets,
      does: "list",
      summary: "List the Public Assets of a project, newest first.",
      empty: "This project has published no image.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
    operation({
      verb: "take-down",
      rpc: rpcs.takeDownPublicAsset,
      does: "act",
      summary:
        "Take a Public Asset down: its URLs return 410 from now on, and its bytes are deleted. Prints the URLs to purge from caches.",
      notice: "The asset is taken down.",
      isDanger: true,
      offeredIn: ["published"],
      example: '--asset <asset id> --reason "case 4711"',
    }),
  ],
});
