import { FileObjectAdminService, type OperatorFileObjectSchema } from "@platform/proto/files/v1/file_object_admin";
import { FilesAdminService, GetFileObjectResponseSchema } from "@platform/proto/files/v1/files_admin";
import type { Column } from "./column.ts";
import { anyProjectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = FileObjectAdminService.method;

/** Columns of the list. A single File Object is shown with other columns. */
const listed = [
  { field: "id", title: "File Object", kind: "id", page: "/files" },
  { field: "projectClientId", title: "Project", kind: "id", page: "/clients" },
  { field: "status", title: "Status", kind: "state" },
  { field: "state", title: "State" },
  { field: "rejectionReason", title: "Reason for rejection", isNullIfEmpty: true },
  { field: "contentType", title: "Type" },
  { field: "sizeBytes", title: "Size", kind: "bytes" },
  { field: "chargedBytes", title: "Charged to the quota", kind: "bytes", isPrintedOnly: true },
  { field: "malwareScan", title: "Malware scan", kind: "state", isNullIfEmpty: true },
  { field: "createdAt", title: "Granted", kind: "time" },
  { field: "uploadedAt", title: "Uploaded", kind: "time" },
  { field: "deletedAt", title: "Deleted", kind: "time", isPrintedOnly: true },
] as const satisfies readonly Column<typeof OperatorFileObjectSchema>[];

export const files = resource({
  name: "files",
  noun: "File Object",
  title: "Files",
  row: GetFileObjectResponseSchema,
  subject: { field: "fileObjectId", option: "file", explanation: "File Object id" },
  paths: { list: "/files" },
  columns: [
    { field: "id", title: "File Object", kind: "id", page: "/files" },
    { field: "projectClientId", title: "Project", kind: "id", page: "/clients" },
    { field: "state", title: "State", kind: "state" },
    { field: "rejectionReason", title: "Reason for rejection", isNullIfEmpty: true },
    { field: "sizeBytes", title: "Size", kind: "bytes" },
    { field: "chargedBytes", title: "Charged to the quota", kind: "bytes" },
    { field: "malwareScan", title: "Malware scan", kind: "state", isNullIfEmpty: true },
    { field: "createdAt", title: "Granted", kind: "time" },
    { field: "deletedAt", title: "Deleted", kind: "time" },
  ],
  shown: {
    list: [],
    page: [
      "state",
      "rejectionReason",
      "malwareScan",
      "sizeBytes",
      "chargedBytes",
      "projectClientId",
      "createdAt",
      "deletedAt",
    ],
    question: ["sizeBytes", "state", "projectClientId"],
  },
  operations: [
    operation({
      verb: "list",
      rpc: rpcs.listFileObjects,
      does: "list",
      summary: "List the File Objects of one project or of all projects, newest first.",
      empty: "There are no File Objects. A project starts an upload with POST /api/v1/file-objects/upload-grants.",
      columns: listed,
      fields: [
        anyProjectClient,
        {
          field: "status",
          label: "Status",
          explanation: "pending_upload, quarantined, available, rejected or deleted",
          choices: ["pending_upload", "quarantined", "available", "rejected", "deleted"],
        },
      ],
      example: "--client <client id> --status quarantined",
    }),
    operation({
      verb: "show",
      rpc: FilesAdminService.method.getFileObject,
      does: "show",
      summary: "Show a File Object's state, its size and charge in bytes, and the result of its malware scan.",
      fields: [
        {
          ...anyProjectClient,
          explanation: "id of the Project Client; fails if the File Object belongs to another one",
        },
      ],
      example: "--file <file object id>",
    }),
    operation({
      verb: "delete",
      rpc: rpcs.deleteFileObject,
      does: "act",
      summary:
        "Delete a File Object's bytes and release their storage quota. Its project can no longer use it. This cannot be undone.",
      button: "Delete the file",
      notice: "The file is deleted.",
      isDanger: true,
      offeredIn: ["pending_upload", "uploading", "upload_failed", "expired", "quarantined", "available", "rejected"],
      example: '--file <file object id> --reason "case 4711"',
    }),
  ],
});
