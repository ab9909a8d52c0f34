import { timestampDate } from "@bufbuild/protobuf/wkt";
import { files as table } from "@platform/contracts/operator/files";
import { publicAssets } from "@platform/contracts/operator/public-assets";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { FileObjectAdminService, type OperatorFileObject } from "@platform/proto/files/v1/file_object_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { confirmationField, requireConfirmation } from "../pages/confirmation.ts";
import { copyable, facts, section } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { screenOf } from "../resource-screen.ts";
import type { Action, Filters, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = FileObjectAdminService.method;
const plotDays = 30;
const plotRowsMax = 1_000;

const tabs = (clientId: string): HtmlValue => {
  const query = clientId === "" ? "" : `?client=${encodeURIComponent(clientId)}`;
  return html`<p class="btn-list"><a class="btn" href="/files${query}">File Objects</a>
<a class="btn" href="/files${query === "" ? "?" : `${query}&`}status=quarantined">In quarantine</a>
<a class="btn" href="/files/assets${query}">Public Assets</a>
<a class="btn" href="/files/presets">Image presets</a></p>`;
};

async function plots(visit: Visit, filters: Filters): Promise<HtmlValue> {
  const rows: OperatorFileObject[] = [];
  for (let cursor = ""; rows.length < plotRowsMax; ) {
    const page = await visit.ask(admin.listFileObjects, { projectClientId: filters.client ?? "", limit: 200, cursor });
    rows.push(...page.fileObjects);
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  const at = ({ createdAt }: OperatorFileObject): Date | null =>
    createdAt === undefined ? null : timestampDate(createdAt);
  const days = lastDays(plotDays);
  const common = { xTitle: "day (UTC)", kind: "bar" } as const;
  return section(
    `The last ${plotDays} days`,
    html`<div class="grid">${await Promise.all([
      figure({
        ...common,
        title: "Bytes by day",
        unit: "bytes",
        series: byDay(
          rows,
          days,
          at,
          ({ contentType }) => contentType || "unknown",
          ({ sizeBytes }) => Number(sizeBytes),
        ),
      }),
      figure({
        ...common,
        title: "Rejected by reason",
        unit: "files",
        series: byDay(
          rows.filter(({ status }) => status === "rejected"),
          days,
          at,
          ({ rejectionReason }) => rejectionReason,
        ),
      }),
    ])}</div>`,
  );
}

/** Returns the name of the project in the address. Only assets of this project can be taken down on that page. */
async function nameOfProject(visit: Visit): Promise<string> {
  const request = { projectClientId: visit.query("client") };
  const { projectClient } = await visit.ask(ProjectClientAdminService.method.showProjectClient, request);
  return projectClient?.name ?? visit.query("client");
}

const assetsOf = (visit: Visit): [string, string][] => [
  ["Public Assets", `/files/assets?client=${encodeURIComponent(visit.query("client"))}`],
];

const takeDown: Action = {
  path: "/files/assets/:id/take-down",
  title: "Take down",
  button: "Take the asset down",
  isDanger: true,
  method: admin.takeDownPublicAsset,
  describe: async (visit) => ({
    crumbs: assetsOf(visit),
    what: html`<p>From now on, every version of this Public Asset of <strong>${await nameOfProject(visit)}</strong> returns 410, and its bytes are deleted.
This cannot be undone.</p>${facts([["Public Asset", copyable(visit.param("id"))]])}`,
  }),
  fields: async (visit) => [confirmationField(await nameOfProject(visit))],
  run: async (visit, options) => {
    requireConfirmation(visit, await nameOfProject(visit));
    const request = { publicAssetId: visit.param("id"), projectClientId: visit.query("client") };
    const { publicAsset } = await visit.ask(admin.takeDownPublicAsset, request, options);
    return {
      title: "Taken down",
      crumbs: assetsOf(visit),
      body: html`<p class="alert alert-success" role="status">The asset is taken down. Purge these URLs from the caches in front of the platform.</p>
<section aria-label="Addresses"><ul>${(publicAsset?.versions ?? []).map(({ url }) => html`<li>${copyable(url)}</li>`)}</ul></section>`,
    };
  },
};

const above = (_visit: Visit, { client = "" }: Filters): HtmlValue => tabs(client);
const objects = screenOf(table, { above, plots });
const assets = screenOf(publicAssets, { above });

export const files: Screen = {
  ...objects,
  lists: [...(objects.lists ?? []), ...(assets.lists ?? [])],
  actions: [takeDown, ...(objects.actions ?? [])],
};
