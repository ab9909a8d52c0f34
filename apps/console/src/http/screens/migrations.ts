import { timestampDate } from "@bufbuild/protobuf/wkt";
import { MigrationAdminService, type OperatorMigration } from "@platform/proto/identity/v1/migration_admin";
import { type HtmlValue, html } from "@platform/service-kit/http/html";
import { actionLinks } from "../action.ts";
import { clientField } from "../list.ts";
import { PageProblem } from "../page-problem.ts";
import { copyable, facts, idLink, isoOf, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { choicesOf } from "../pages/fields.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import type { Action, Filters, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = MigrationAdminService.method;
const statuses = ["pending", "link_pending", "completed", "expired"];
const plotDays = 30;
const rowsMax = 1_000;

const columns: Listing<OperatorMigration>["columns"] = [
  {
    key: "id",
    title: "Transaction",
    value: ({ id }) => id,
    cell: ({ id, projectClientId }) => idLink("/migrations", id, undefined, projectClientId),
  },
  { key: "status", title: "Status", value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
  { key: "legacy_subject", title: "Legacy subject", value: ({ legacySubject }) => legacySubject },
  { key: "address_hint", title: "Address", value: ({ addressHint }) => addressHint },
  {
    key: "account_id",
    title: "Account",
    value: ({ accountId }) => accountId ?? null,
    cell: ({ accountId }) => idLink("/accounts", accountId),
  },
  { key: "verification_mails", title: "Mails", value: ({ verificationMails }) => verificationMails },
  {
    key: "created_at",
    title: "Begun",
    value: ({ createdAt }) => isoOf(createdAt),
    cell: ({ createdAt }) => timeOf(createdAt),
  },
  {
    key: "completed_at",
    title: "Completed",
    value: ({ completedAt }) => isoOf(completedAt),
    cell: ({ completedAt }) => timeOf(completedAt),
  },
  {
    key: "annulled_at",
    title: "Annulled",
    value: ({ annulledAt }) => isoOf(annulledAt),
    cell: ({ annulledAt }) => timeOf(annulledAt),
  },
];

const list: Listing<OperatorMigration> = {
  path: "/migrations",
  title: "Migrations",
  method: admin.listMigrations,
  isOfClient: true,
  filters: [{ name: "status", label: "Status", choices: choicesOf(statuses, "all") }],
  columns,
  read: async (visit, filters, page) => {
    const { migrations, nextCursor } = await visit.ask(admin.listMigrations, {
      projectClientId: filters.client ?? "",
      status: filters.status ?? "",
      ...page,
    });
    return { rows: migrations, nextCursor };
  },
  empty: html`Nobody has been asked to move. A project begins by <code>POST /api/v1/identity-migration-transactions</code>.`,
  above: async (visit, filters) =>
    actionLinks(visit, [find], "", `?client=${encodeURIComponent(filters.client ?? "")}`),
  plots: funnel,
};

/** The latest transactions of a client. */
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
    html`<ul class="figures">${steps.map(([name, count]) => html`<li><strong>${count}</strong> ${name}</li>`)}
<li><strong>${stuck}</strong> wait for the project to confirm</li></ul>`,
    await figure({
      title:
        rows.length < rowsMax
          ? `Begun in ${plotDays} days, by what became of them`
          : `The latest ${rowsMax}, by what became of them`,
      unit: "transactions",
      xTitle: "day begun (UTC)",
      kind: "bar",
      series: byDay(rows, lastDays(plotDays), at, ({ status }) => status.replace("_", " ")),
    }),
  );
}

async function readMigration(visit: Visit): Promise<OperatorMigration> {
  const id = visit.param("id");
  const given = visit.query("client");
  const ids = given === "" ? (await visit.projectClients()).map((client) => client.id) : [given];
  for (const projectClientId of ids) {
    for (let cursor = "", page = 0; page < 50; page += 1) {
      const reply = await visit.ask(admin.listMigrations, { projectClientId, limit: 200, cursor });
      const found = reply.migrations.find((migration) => migration.id === id);
      if (found !== undefined) return found;
      cursor = reply.nextCursor;
      if (cursor === "") break;
    }
  }
  throw new PageProblem(404, "There is nothing here", "There is no such transaction.");
}

const crumbsOf = ({ id, projectClientId }: OperatorMigration): [string, string][] => [
  ["Migrations", `/migrations?client=${projectClientId}`],
  [`Transaction ${id}`, `/migrations/${id}?client=${projectClientId}`],
];

async function migrationPage(visit: Visit) {
  const migration = await readMigration(visit);
  return {
    title: `Transaction ${migration.id}`,
    crumbs: crumbsOf(migration).slice(0, 1),
    clientId: migration.projectClientId,
    body: html`${migration.annulledAt === undefined && actionLinks(visit, [annul], migration.id, `?client=${migration.projectClientId}`)}
<section aria-label="Transaction">${facts([
      ["Id", copyable(migration.id)],
      ["Status", stateOf(migration.status)],
      ["Legacy subject", copyable(migration.legacySubject)],
      ["Asserted address", migration.addressHint],
      ["Account", idLink("/accounts", migration.accountId)],
      ["Project Client", idLink("/clients", migration.projectClientId)],
      ["Verification mails", migration.verificationMails],
      ["Begun", timeOf(migration.createdAt)],
      ["Expires", timeOf(migration.expiresAt)],
      ["Completed", timeOf(migration.completedAt)],
      ["Annulled", timeOf(migration.annulledAt)],
    ])}</section>`,
  };
}

const annul: Action = {
  path: "/migrations/:id/annul",
  title: "Annul",
  button: "Annul the transaction",
  isDanger: true,
  method: admin.annulMigration,
  describe: async (visit) => {
    const migration = await readMigration(visit);
    return {
      crumbs: crumbsOf(migration),
      what: html`<p>The transaction of <strong>${migration.legacySubject}</strong> is expired from now on${
        migration.accountId !== undefined && ", and its link to the account ends"
      }. The legacy subject may be linked anew. This cannot be taken back.</p>`,
    };
  },
  run: async (visit, options) => {
    const { migration } = await visit.ask(admin.annulMigration, { transactionId: visit.param("id") }, options);
    return {
      redirect: `/migrations/${visit.param("id")}?client=${migration?.projectClientId ?? ""}`,
      notice: "The transaction is annulled.",
    };
  },
};

/** By POST, so that no address or legacy subject is in a URL. */
const find: Action = {
  path: "/migrations/find",
  title: "Find by subject or address",
  button: "Find",
  method: admin.listMigrations,
  describe: async (visit) => ({
    crumbs: [["Migrations", `/migrations?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>Transactions of the client with this legacy subject or asserted address are shown; addresses stay masked.</p>`,
  }),
  fields: async (visit) => [
    await clientField(visit, visit.field("client") || visit.query("client")),
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
    return {
      title: "Transactions found",
      crumbs: [["Migrations", `/migrations?client=${encodeURIComponent(visit.field("client"))}`]],
      body: html`<section aria-label="Found">${table(
        "Transactions found",
        columns.map(({ title }) => title),
        migrations.map((row) => columns.map((column) => column.cell?.(row) ?? column.value(row))),
        "This client has no such transaction.",
      )}</section>`,
    };
  },
};

export const migrations: Screen = {
  lists: [list],
  actions: [find, annul],
  views: [{ path: "/migrations/:id", method: admin.listMigrations, show: migrationPage }],
};
