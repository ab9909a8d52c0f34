import { CatalogAdminService, CatalogVersionSchema } from "@platform/proto/notify/v1/catalog_admin";
import { projectClient } from "./project-client.ts";
import { operation, resource } from "./resource.ts";

const rpcs = CatalogAdminService.method;

export const catalogVersions = resource({
  name: "catalog",
  noun: "version",
  title: "Catalog versions",
  row: CatalogVersionSchema,
  id: "version",
  subject: { field: "version", option: "to", explanation: "version of the catalog" },
  paths: { list: "/templates/versions" },
  above: ["Templates", "/templates"],
  columns: [
    { field: "version", title: "Version" },
    { field: "appliedAt", title: "Applied", kind: "time" },
    { field: "by", title: "By", isNullIfEmpty: true },
    { field: "added", title: "Added", kind: "texts" },
    { field: "changed", title: "Changed", kind: "texts" },
    { field: "removed", title: "Removed", kind: "texts" },
  ],
  shown: { list: [], page: [], question: [] },
  operations: [
    operation({
      verb: "history",
      rpc: rpcs.listCatalogVersions,
      does: "list",
      summary: "List the last 20 catalogs that were applied to a project, newest first.",
      empty: "No catalog has been applied to this project yet.",
      fields: [{ ...projectClient, isRequired: true }],
      example: "--client <client id>",
    }),
  ],
});
