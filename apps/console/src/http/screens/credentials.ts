import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { scopes } from "@platform/contracts/scopes";
import { html } from "@platform/kit/web/http";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { PageProblem } from "../page-problem.ts";
import { copyable, facts } from "../pages/elements.ts";
import { overlapField, overlapSecondsOf } from "../pages/overlap.ts";
import { secretPage } from "../pages/secret-page.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = ProjectClientAdminService.method;

const crumbsOf = (clientId: string): [string, string][] => [
  ["Projects", "/clients"],
  ["The client", `/clients/${clientId}`],
];

const expiryOf = (days: string): Date | null => {
  if (days === "") return null;
  if (!/^[1-9]\d{0,3}$/.test(days))
    throw new PageProblem(422, "This cannot be done", "Days are a whole number from 1 to 9999.");
  return new Date(Date.now() + Number(days) * 86_400_000);
};

export const issue: Action = {
  path: "/clients/:id/credentials/issue",
  title: "Issue a credential",
  button: "Issue it",
  method: admin.issueProjectCredential,
  isOnce: true,
  describe: async (visit) => {
    const { projectClient } = await visit.ask(admin.showProjectClient, { projectClientId: visit.param("id") });
    return {
      crumbs: [
        ["Projects", "/clients"],
        [projectClient?.name ?? "", `/clients/${visit.param("id")}`],
      ],
      what: html`<p>Whoever has the credential calls as <strong>${projectClient?.name}</strong>, within its scopes. It is shown once.</p>`,
    };
  },
  fields: () => [
    { name: "name", label: "Name", hint: "For people, for example the host that uses it.", maxLength: 120 },
    ...scopes.map((scope) => ({ name: `scope_${scope}`, label: scope, type: "checkbox" as const })),
    { name: "days", label: "Days until it expires", hint: "Empty: it does not expire.", type: "number" },
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

/** Credentials have ids of their own; the client is a parameter of the address. */
async function describeCredential(visit: Visit, what: string) {
  const { projectCredentials } = await visit.ask(admin.listProjectCredentials, {
    projectClientId: visit.query("client"),
    limit: 200,
  });
  const found = projectCredentials.find(({ id }) => id === visit.param("id"));
  if (found === undefined) throw new PageProblem(404, "There is nothing here", "This client has no such credential.");
  return {
    crumbs: crumbsOf(found.projectClientId),
    what: html`<p>${what}</p>${facts([
      ["Name", found.name],
      ["Id", copyable(found.id)],
      ["Scopes", found.scopes.join(" ")],
    ])}`,
  };
}

export const rotate: Action = {
  path: "/credentials/:id/rotate",
  title: "Rotate",
  button: "Issue a successor",
  method: admin.rotateProjectCredential,
  isOnce: true,
  describe: (visit) =>
    describeCredential(
      visit,
      "A successor with the same name and scopes is issued and shown once. The old one ends after the overlap.",
    ),
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
    return secretPage("Successor of the credential", "Credential", credential, crumbsOf(visit.query("client")));
  },
};

export const revoke: Action = {
  path: "/credentials/:id/revoke",
  title: "Revoke",
  button: "End the credential now",
  isDanger: true,
  method: admin.revokeProjectCredential,
  describe: (visit) =>
    describeCredential(
      visit,
      "The credential ends now; every gateway refuses it within a second. This cannot be undone.",
    ),
  run: async (visit, options) => {
    await visit.ask(admin.revokeProjectCredential, { credentialId: visit.param("id") }, options);
    return { redirect: `/clients/${encodeURIComponent(visit.query("client"))}`, notice: "The credential is revoked." };
  },
};

export const credentialActions: readonly Action[] = [issue, rotate, revoke];
