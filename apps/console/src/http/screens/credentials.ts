import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { credentials as table } from "@platform/contracts/operator/credentials";
import { scopes } from "@platform/contracts/scopes";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { CredentialUsageAdminService } from "@platform/proto/identity/v1/credential_usage_admin";
import { ProjectClientAdminService, type ProjectCredential } from "@platform/proto/identity/v1/identity_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { facts, section } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { overlapField, overlapSecondsOf } from "../pages/overlap.ts";
import { secretPage } from "../pages/secret-page.ts";
import { readerOf } from "../resource-read.ts";
import { factsOf, rowsTable } from "../resource-row.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Action, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = ProjectClientAdminService.method;
const plotDays = 30;

const crumbsOf = (clientId: string): [string, string][] => [
  ["Projects", "/clients"],
  ["Project", `/clients/${clientId}`],
];

const read = readerOf(table);

const expiryOf = (days: string): Date | null => {
  if (days === "") return null;
  if (!/^[1-9]\d{0,3}$/.test(days))
    throw new PageProblem(422, "This cannot be done", "The number of days must be a whole number from 1 to 9999.");
  return new Date(Date.now() + Number(days) * 86_400_000);
};

const issue: Action = {
  path: "/clients/:id/credentials/issue",
  title: "Issue a credential",
  button: "Issue the credential",
  method: admin.issueProjectCredential,
  isOnce: true,
  describe: async (visit) => {
    const { projectClient } = await visit.ask(admin.showProjectClient, { projectClientId: visit.param("id") });
    return {
      crumbs: [
        ["Projects", "/clients"],
        [projectClient?.name ?? "", `/clients/${visit.param("id")}`],
      ],
      what: html`<p>Anyone who has the credential can call the API as <strong>${projectClient?.name}</strong> within its scopes. It is shown only once.</p>`,
    };
  },
  fields: () => [
    {
      name: "name",
      label: "Name",
      hint: "A description, for example the host that uses the credential.",
      maxLength: 120,
    },
    ...scopes.map((scope) => ({ name: `scope_${scope}`, label: scope, type: "checkbox" as const })),
    { name: "days", label: "Days until it expires", hint: "Leave empty for no expiry.", type: "number" },
  ],
  run: async (visit, options) => {
    const expiresAt = expiryOf(visit.field("days"));
    const { credential } = await visit.ask(
      admin.issueProjectCredential,
      {
        projectClientId: visit.param("id"),
        name: visit.field("name"),
        scopes: scopes.filter((scope) => visit.field(`scope_${scope}`) === "yes"),
        ...(expiresAt === null ? {} : { expiresAt: timestampFromDate(expiresAt) }),
      },
      options,
    );
    return secretPage("New credential", "Credential", credential, crumbsOf(visit.param("id")));
  },
};

const rotate: Action = {
  path: "/credentials/:id/rotate",
  title: "Rotate",
  button: "Issue the successor",
  method: admin.rotateProjectCredential,
  isOnce: true,
  describe: async (visit) => {
    const { row } = await read(visit);
    return {
      crumbs: crumbsOf(visit.query("client")),
      what: html`<p>Issues a successor with the same name and scopes, which is shown only once. The old credential expires after the overlap.</p>${facts(factsOf(table, table.shown.question, row))}`,
    };
  },
  fields: () => [overlapField()],
  run: async (visit, options) => {
    const { credential } = await visit.ask(
      admin.rotateProjectCredential,
      {
        credentialId: visit.param("id"),
        overlapSeconds: BigInt(overlapSecondsOf(visit)),
      },
      options,
    );
    return secretPage("New credential", "Credential", credential, crumbsOf(visit.query("client")));
  },
};

/** Renders the usage of a credential by day. */
async function usageOf(visit: Visit, { id, projectClientId }: ProjectCredential): Promise<HtmlValue> {
  const days = lastDays(plotDays);
  const since = timestampFromDate(days[0] ?? new Date());
  const { counts } = await visit.ask(CredentialUsageAdminService.method.listCredentialUsage, {
    projectClientId,
    credentialId: id,
    by: "day",
    since,
  });
  return section(
    "Requests",
    html`<p><a href="/requests?client=${projectClientId}&credential=${id}">Requests with this credential</a></p>`,
    await figure({
      isWide: true,
      title: `Requests in the last ${plotDays} days, by operation`,
      unit: "requests",
      xTitle: "day (UTC)",
      kind: "bar",
      series: byDay(
        counts,
        days,
        ({ at }) => (at === undefined ? null : timestampDate(at)),
        ({ operation }) => operation,
        ({ count }) => Number(count),
      ),
    }),
  );
}

const actsOf = ({ revokedAt }: ProjectCredential): readonly Action[] => (revokedAt === undefined ? [rotate] : []);

const screen = screenOf(table, {
  above: (visit, { client = "" }) => (client === "" ? null : actionLinks(visit, [issue], client)),
  acts: actsOf,
  show: async (visit, credential: ProjectCredential) =>
    html`${rowFacts(table, credential)}${await usageOf(visit, credential)}`,
});

export const credentials: Screen = { ...screen, actions: [issue, rotate, ...(screen.actions ?? [])] };

/** Renders the credentials of a client, for the client's page. */
export async function credentialsOf(visit: Visit, clientId: string): Promise<HtmlValue> {
  const request = { projectClientId: clientId, limit: 200 };
  const { projectCredentials } = await visit.ask(admin.listProjectCredentials, request);
  const revoke = (screen.actions ?? []).filter(({ method }) => method === admin.revokeProjectCredential);
  return section(
    "Credentials",
    actionLinks(visit, [issue], clientId),
    rowsTable(
      table,
      "Credentials",
      table.shown.list,
      projectCredentials,
      "This project has no credential, so it cannot call the API. With the role security, you can issue one.",
      (row) =>
        row.revokedAt === undefined &&
        actionLinks(visit, [rotate, ...revoke], String(row.id), `?client=${encodeURIComponent(clientId)}`),
    ),
  );
}
