import { catalogVersions as versionsTable } from "@platform/contracts/operator/catalog-versions";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { CatalogAdminService, type CatalogProblem } from "@platform/proto/notify/v1/catalog_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { section, table } from "../pages/elements.ts";
import { screenOf } from "../resource-screen.ts";
import type { Action, Listing } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = CatalogAdminService.method;

export const rollBack: Action = {
  path: "/templates/versions/:id/roll-back",
  title: "Roll back",
  button: "Apply this version again",
  method: admin.rollBackCatalog,
  describe: async (visit) => ({
    crumbs: [["Catalog versions", versionsAddress(visit)]],
    what: html`<p>Applies the catalog of version ${versionOf(visit)} again, as a new version. Messages that are already queued do not change.</p>`,
  }),
  run: async (visit, options) => {
    const request = { projectClientId: visit.query("client"), version: versionOf(visit) };
    const { version } = await visit.ask(admin.rollBackCatalog, request, options);
    return { redirect: versionsAddress(visit), notice: `The catalog is applied again, as version ${version}.` };
  },
};

/** Returns the version in the path. Throws a page if it does not exist. */
function versionOf(visit: Visit): number {
  const id = visit.param("id");
  if (!/^[1-9]\d{0,8}$/.test(id)) throw new PageProblem(404, "There is nothing here", "This version does not exist.");
  return Number(id);
}

const versionsAddress = (visit: Visit): string =>
  `/templates/versions?client=${encodeURIComponent(visit.query("client"))}`;

/** The list of catalogs that were applied. Each can be applied again. */
export const versions: Listing<{ readonly version?: number }> = {
  ...listOf(),
  linksOf: (visit, { version }) =>
    actionLinks(visit, [rollBack], String(version), `?client=${encodeURIComponent(visit.query("client"))}`),
};

function listOf(): Listing<{ readonly version?: number }> {
  const [list] = screenOf(versionsTable).lists ?? [];
  if (list === undefined) throw new Error("catalog versions have no list");
  return list;
}

/** Renders the reasons why messages cannot be sent, one line each; nothing if there are none. */
export function problemsTable(problems: readonly CatalogProblem[]): HtmlValue {
  if (problems.length === 0) return null;
  const rows = problems.map(({ kind, name, message }) => [kind, html`<code>${name}</code>`, message]);
  return table("Problems", ["Problem", "Template or catalog entry", "Description"], rows);
}

/**
 * Renders the entries that the project has validated, but that cannot be sent because a template, sender profile or
 * consent is missing.
 */
export async function appliedProblems(visit: Visit, projectClientId: string): Promise<HtmlValue> {
  const { problems } = await visit.ask(admin.listCatalogProblems, { projectClientId });
  return problems.length === 0
    ? null
    : section("Entries of the project's catalog that are not applied", problemsTable(problems));
}
