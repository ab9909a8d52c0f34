import { timestampDate } from "@bufbuild/protobuf/wkt";
import { migrations as table } from "@platform/contracts/operator/migrations";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { MigrationAdminService, type OperatorMigration } from "@platform/proto/identity/v1/migration_admin";
import { actionLinks } from "../action.ts";
import { clientFields, shownColumns } from "../list.ts";
import { section, table as tableOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { screenOf } from "../resource-screen.ts";
import type { Action, Filters, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = MigrationAdminService.method;
const plotDays = 30;
const rowsMax = 1_000;

/** Returns the latest transactions of a client, or of all clients. */
async function latest(visit: Visit, projectClientId: string): Promise<OperatorMigration[]> {
  const rows: OperatorMigration[] = [];
  for (let cursor = ""; rows.length < rowsMax; ) {
    const page = await visit.ask(admin.listMigrations, { projectClientId, limit: 200, cursor });
    rows.push(...page.migrations);
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  return rows;
}

async function funnel(visit: Visit, filters: Filters): Promise<HtmlValue> {
  const rows = await latest(visit, filters.client ?? "");
  const linked = rows.filter(({ accountId }) => accountId !== undefined).length;
  const completed = rows.filter(({ status }) => status === "completed").length;
  const stuck = rows.filter(({ status }) => status === "link_pending").length;
  const mailed = rows.filter(({ verificationMails }) => verificationMails > 0).length;
  const steps = [
    ["begun", rows.length],
    ["mailed", mailed],
    ["linked", linked],
    ["completed", completed],
  ] as const;
  const at = ({ createdAt }: OperatorMigration): Date | null =>
    createdAt === undefined ? null : timestampDate(createdAt);
  return section(
    "Funnel",
    html`<ul class="d-flex flex-wrap gap-4 list-unstyled">${steps.map(([name, count]) => html`<li><strong class="d-block h1 mb-0">${count}</strong> ${name}</li>`)}
<li><strong class="d-block h1 mb-0">${stuck}</strong> wait for the project to confirm</li></ul>`,
    await figure({
      isWide: true,
      title:
        rows.length < rowsMax ? `Started in the last ${plotDays} days, by status` : `The latest ${rowsMax}, by status`,
      unit: "transactions",
      xTitle: "start day (UTC)",
      kind: "bar",
      series: byDay(rows, lastDays(plotDays), at, ({ status }) => status.replace("_", " ")),
    }),
  );
}

const listAddress = (client: string): string =>
  client === "" ? "/migrations" : `/migrations?client=${encodeURIComponent(client)}`;

/** The form is posted, so that no URL contains an address or a legacy subject. */
const find: Action = {
  path: "/migrations/find",
  title: "Find by subject or address",
  button: "Find",
  method: admin.listMigrations,
  describe: async (visit) => ({
    crumbs: [["Migrations", listAddress(visit.query("client"))]],
    what: html`<p>Shows the transactions with this legacy subject or asserted address. Addresses stay masked.</p>`,
  }),
  fields: async (visit) => [
    ...(await clientFields(visit, visit.field("client") || visit.query("client"), "all projects")),
    { name: "legacy_subject", label: "Legacy subject" },
    { name: "email", label: "Address" },
  ],
  run: async (visit, options) => {
    const { migrations } = await visit.ask(
      admin.listMigrations,
      {
        projectClientId: visit.field("client"),
        legacySubject: visit.field("legacy_subject"),
        email: visit.field("email"),
        limit: 200,
      },
      options,
    );
    const columns = await shownColumns(visit, list, { client: visit.field("client") });
    return {
      title: "Transactions found",
      crumbs: [["Migrations", listAddress(visit.field("client"))]],
      body: html`<section aria-label="Found">${tableOf(
        "Transactions found",
        columns.map(({ title }) => title),
        migrations.map((row) => columns.map((column) => column.cell?.(row, visit) ?? column.value(row))),
        "There is no such transaction.",
      )}</section>`,
    };
  },
};

const screen = screenOf(table, {
  above: (visit, { client = "" }) =>
    actionLinks(visit, [find], "", client === "" ? "" : `?client=${encodeURIComponent(client)}`),
  plots: funnel,
});
const list: Pick<Listing<OperatorMigration>, "columns" | "clientIdOf"> = screen.lists?.[0] ?? { columns: [] };

export const migrations: Screen = { ...screen, actions: [find, ...(screen.actions ?? [])] };
