import { type ServiceName, servicesThat } from "@platform/contracts/services";
import { html } from "@platform/kit/web/http";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { type Retention, RetentionAdminService } from "@platform/proto/operator/v1/retention_admin";
import { PageProblem } from "../page-problem.ts";
import type { Field } from "../pages/fields.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = RetentionAdminService.method;

/** Returns how long each service keeps the records of a client. */
export async function retentionsOf(visit: Visit, projectClientId: string) {
  const replies = await Promise.all(
    servicesThat("retention").map(async (service) => {
      const { retentions } = await visit.ask(admin.showRetention, { projectClientId }, { service });
      return retentions.map((retention): Retention & { service: ServiceName } => ({ ...retention, service }));
    }),
  );
  return replies.flat();
}

export const setRetention: Action = {
  path: "/clients/:id/retention",
  title: "Set retention",
  button: "Set the retention",
  method: admin.setRetention,
  isDanger: true,
  describe: async (visit) => {
    const { projectClient } = await visit.ask(ProjectClientAdminService.method.showProjectClient, {
      projectClientId: visit.param("id"),
    });
    return {
      crumbs: [
        ["Projects", "/clients"],
        [projectClient?.name ?? "", `/clients/${visit.param("id")}`],
      ],
      what: html`<p>Workers remove older records of ${projectClient?.name} in small batches. Removed records do not come back if you raise the number of days
again.</p>`,
    };
  },
  fields: async (visit) => {
    const retentions = await retentionsOf(visit, visit.param("id"));
    const named = retentions.find(({ kind }) => kind === visit.query("kind"));
    const kinds: Field = {
      name: "kind",
      label: "Kind",
      choices: (named === undefined ? retentions : [named]).map(({ kind, days }) => [
        kind,
        `${kind.replaceAll("_", " ")} (currently ${days === undefined ? "unlimited" : `${days} days`})`,
      ]),
    };
    if (named === undefined) return [kinds];
    const present = String(named.days ?? "");
    return [
      kinds,
      { name: "days", label: "Days", hint: "1 to 3650", type: "number", isRequired: true, present, value: present },
    ];
  },
  run: async (visit, options) => {
    const projectClientId = visit.param("id");
    const kind = visit.field("kind");
    const days = visit.field("days");
    const retention = (await retentionsOf(visit, projectClientId)).find((each) => each.kind === kind);
    // If the address contains no kind of records, the form asks only for the kind. The next form starts with the
    // current number of days.
    if (retention !== undefined && days === "" && visit.query("kind") === "") return { redirect: visit.here({ kind }) };
    if (retention === undefined || !/^[1-9]\d{0,3}$/.test(days))
      throw new PageProblem(422, "This cannot be done", "Choose a kind and a whole number of days from 1 to 3650.");
    const { service } = retention;
    await visit.ask(admin.setRetention, { projectClientId, kind, days: Number(days) }, { ...options, service });
    return { redirect: `/clients/${projectClientId}`, notice: "The retention is set." };
  },
};
