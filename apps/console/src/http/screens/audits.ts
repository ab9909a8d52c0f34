import { type ProjectAudit, ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import { type HtmlValue, html } from "@platform/service-kit/http/html";
import { actionLinks } from "../action.ts";
import { copyable, countOf, facts, idLink, isoOf, section, stateOf, timeOf } from "../pages/elements.ts";
import { figure } from "../pages/figure.ts";
import { sinceField, sinceOf } from "../pages/time-filter.ts";
import { usageByDay } from "../pages/usage.ts";
import type { Action, Filters, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = ProjectAuditAdminService.method;
const plotDays = 30;

const list: Listing<ProjectAudit> = {
  path: "/audits",
  title: "Audits",
  method: admin.listProjectAudits,
  isOfClient: true,
  filters: [
    { name: "actor", label: "Actor" },
    { name: "action", label: "Action" },
    { name: "resource_type", label: "Resource type" },
    { name: "resource_id", label: "Resource id" },
    sinceField(),
  ],
  columns: [
    { key: "seq", title: "Seq", value: ({ seq }) => Number(seq) },
    {
      key: "recorded_at",
      title: "Recorded",
      value: ({ recordedAt }) => isoOf(recordedAt),
      cell: ({ recordedAt }) => timeOf(recordedAt),
    },
    { key: "actor_id", title: "Actor", value: ({ actorId }) => actorId },
    { key: "action", title: "Action", value: ({ action }) => action },
    { key: "resource_type", title: "Resource type", value: ({ resourceType }) => resourceType },
    { key: "resource_id", title: "Resource", value: ({ resourceId }) => resourceId },
    { key: "outcome", title: "Outcome", value: ({ outcome }) => outcome, cell: ({ outcome }) => stateOf(outcome) },
    {
      key: "id",
      title: "Id",
      value: ({ id }) => id,
      cell: ({ id }) => copyable(id, html`<code>…${id.slice(-8)}</code>`),
    },
    {
      key: "hash",
      title: "Hash",
      value: ({ hash }) => hash,
      cell: ({ hash }) => copyable(hash, html`<code>${hash.slice(0, 8)}…</code>`),
    },
  ],
  read: async (visit, filters, { limit, cursor }) => {
    const { audits } = await visit.ask(admin.listProjectAudits, {
      projectClientId: filters.client ?? "",
      afterSeq: /^\d{1,15}$/.test(cursor) ? BigInt(cursor) : 0n,
      limit,
      actorId: filters.actor ?? "",
      action: filters.action ?? "",
      resourceType: filters.resource_type ?? "",
      resourceId: filters.resource_id ?? "",
      ...sinceOf(filters.since ?? ""),
    });
    return { rows: audits, nextCursor: audits.length < limit ? "" : String(audits.at(-1)?.seq ?? "") };
  },
  empty: html`This client has recorded no audit. A project records one by <code>POST /api/v1/audits</code>.`,
  above: async (visit, filters) =>
    actionLinks(visit, [verify], "", `?client=${encodeURIComponent(filters.client ?? "")}`),
  plots: byDayPlot,
};

async function byDayPlot(visit: Visit, filters: Filters): Promise<HtmlValue> {
  const series = await usageByDay(visit, filters.client ?? "", plotDays, (kind) => kind.startsWith("audit"));
  return section(
    "By day",
    await figure({ title: `Audits of ${plotDays} days`, unit: "audits", xTitle: "day (UTC)", kind: "bar", series }),
  );
}

const verify: Action = {
  path: "/audits/verify",
  title: "State of the chain",
  button: "Read and compare the whole chain",
  method: admin.verifyProjectAudits,
  describe: async (visit) => ({
    crumbs: [["Audits", `/audits?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>Every record of the chain is read and its hashes are compared with its head. A long chain takes some seconds.</p>
${facts([["Project Client", idLink("/clients", visit.query("client"))]])}`,
  }),
  fields: () => [
    {
      name: "head",
      label: "Head that was kept elsewhere (optional)",
      hint: "64 hex; the chain must contain it.",
      maxLength: 64,
    },
  ],
  run: async (visit) => {
    const head = visit.field("head");
    const result = await visit.ask(
      admin.verifyProjectAudits,
      { projectClientId: visit.query("client"), ...(head === "" ? {} : { keptHead: head }) },
      { timeoutMs: 120_000 },
    );
    return {
      title: "State of the chain",
      crumbs: [["Audits", `/audits?client=${encodeURIComponent(visit.query("client"))}`]],
      body: html`<section aria-label="Result">${facts([
        ["Chain", stateOf(result.valid ? "valid" : "broken")],
        ["Records", result.valid ? countOf(result.length) : null],
        ["Broken at", result.valid ? null : countOf(result.brokenAtSeq)],
        ["Reason", result.valid ? null : result.reason.replaceAll("_", " ")],
        ["Verified", timeOf(new Date())],
      ])}</section>`,
    };
  },
};

export const audits: Screen = { lists: [list], actions: [verify] };
