import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { html } from "@platform/kit/web/http";
import { CredentialUsageAdminService } from "@platform/proto/identity/v1/credential_usage_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { PageProblem } from "../page-problem.ts";
import { copyable, facts, section, stateOf, timeOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import type { Page } from "../pages/layout.ts";
import type { View } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = ProjectClientAdminService.method;
const plotDays = 30;
const pageMax = 200;

/** A credential: when and from where it was last used, and for what. The client is a parameter of the address. */
async function showCredential(visit: Visit): Promise<Page> {
  const [client, id] = [visit.query("client"), visit.param("id")];
  const days = lastDays(plotDays);
  const since = timestampFromDate(days[0] ?? new Date());
  const [{ projectCredentials }, { counts }] = await Promise.all([
    visit.ask(admin.listProjectCredentials, { projectClientId: client, limit: pageMax }),
    visit.ask(CredentialUsageAdminService.method.listCredentialUsage, {
      projectClientId: client,
      credentialId: id,
      by: "day",
      since,
    }),
  ]);
  const found = projectCredentials.find((credential) => credential.id === id);
  if (found === undefined) throw new PageProblem(404, "There is nothing here", "This client has no such credential.");
  return {
    title: found.name === "" ? `Credential ${id}` : found.name,
    crumbs: [
      ["Projects", "/clients"],
      ["The client", `/clients/${client}`],
    ],
    clientId: client,
    body: html`<section aria-label="Credential">${facts([
      ["Id", copyable(found.id)],
      ["State", stateOf(found.revokedAt === undefined ? "active" : "revoked")],
      ["Scopes", found.scopes.join(" ")],
      ["Last used", timeOf(found.lastUsedAt)],
      ["Last used from", found.lastUsedNetwork || null],
      ["Issued", timeOf(found.createdAt)],
      ["Expires", timeOf(found.expiresAt)],
      ["Related", html`<a href="/requests?client=${client}&credential=${id}">Its requests</a>`],
    ])}</section>
${section(
  "Requests",
  await figure({
    isWide: true,
    title: `Requests of ${plotDays} days, by operation`,
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
)}`,
  };
}

export const credentialView: View = {
  path: "/credentials/:id",
  method: admin.listProjectCredentials,
  show: showCredential,
};
