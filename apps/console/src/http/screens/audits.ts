import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { type AuditChain, AuditChainAdminService } from "@platform/proto/events/v1/audit_chain_admin";
import { ProjectAuditPruneService } from "@platform/proto/events/v1/audit_prune_admin";
import { type ProjectAudit, ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { copyable, countOf, facts, idLink, isoOf, section, stateOf, timeOf } from "../pages/elements.ts";
import { figure } from "../pages/figure.ts";
import { sinceField, sinceOf } from "../pages/time-filter.ts";
import { usageByDay } from "../pages/usage.ts";
import type { Action, Filters, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { exportColumns, markExported } from "./audit-export.ts";

const admin = ProjectAuditAdminService.method;
const pruneMethod = ProjectAuditPruneService.method.pruneProjectAudits;
const chainAdmin = AuditChainAdminService.method;
const plotDays = 30;
const dayMs = 86_400_000;

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
  exported: exportColumns,
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
  empty: html`There are no audits. The project records one with <code>POST /api/v1/audits</code>.`,
  above: async (visit, filters) => {
    const query = `?client=${encodeURIComponent(filters.client ?? "")}`;
    return html`${await chainPart(visit, filters.client ?? "")}${actionLinks(visit, [verify, markExported, prune], "", query)}`;
  },
  plots: byDayPlot,
};

/** Renders the result of the last verification of a client's hash chain. */
async function chainPart(visit: Visit, clientId: string): Promise<HtmlValue> {
  const { chains: found } = await visit.ask(chainAdmin.listAuditChains, { projectClientId: clientId });
  const chain = clientId === "" ? undefined : found[0];
  return section(
    "Chain",
    chain === undefined
      ? html`<p class="text-secondary">This project has no audit chain yet.</p>`
      : facts([
          ["State", stateOf(chain.state)],
          ["Verified", timeOf(chain.verifiedAt)],
          ["Verified up to", `${countOf(chain.verifiedSeq)} of ${countOf(chain.length)}`],
          ...brokenFacts(chain),
          ["Exported up to", countOf(chain.exportedSeq)],
          ["Pruned up to", countOf(chain.prunedSeq)],
        ]),
    html`<p><a href="/audits/chains">Audit chains of all projects</a></p>`,
  );
}

const brokenFacts = ({ state, brokenAtSeq, reason }: AuditChain): [string, HtmlValue][] =>
  state === "broken"
    ? [
        ["Broken at", countOf(brokenAtSeq)],
        ["Reason", reason.replaceAll("_", " ")],
      ]
    : [];

const chains: Listing<AuditChain> = {
  path: "/audits/chains",
  title: "Audit chains",
  method: chainAdmin.listAuditChains,
  isOfClient: false,
  crumbs: [["Audits", "/audits"]],
  columns: [
    {
      key: "project_client_id",
      title: "Project",
      value: ({ projectClientId }) => projectClientId,
      cell: ({ projectClientId }) =>
        html`<a class="id" href="/audits?client=${encodeURIComponent(projectClientId)}">${projectClientId}</a>`,
    },
    { key: "state", title: "State", value: ({ state }) => state, cell: ({ state }) => stateOf(state) },
    {
      key: "verified_at",
      title: "Verified",
      value: ({ verifiedAt }) => isoOf(verifiedAt),
      cell: ({ verifiedAt }) => timeOf(verifiedAt),
    },
    { key: "verified_seq", title: "Verified up to", value: ({ verifiedSeq }) => Number(verifiedSeq) },
    { key: "length", title: "Records", value: ({ length }) => Number(length) },
    {
      key: "broken_at_seq",
      title: "Broken at",
      value: ({ state, brokenAtSeq }) => (state === "broken" ? Number(brokenAtSeq) : null),
    },
    { key: "reason", title: "Reason", value: ({ reason }) => reason || null },
    { key: "exported_seq", title: "Exported up to", value: ({ exportedSeq }) => Number(exportedSeq) },
    { key: "pruned_seq", title: "Pruned up to", value: ({ prunedSeq }) => Number(prunedSeq) },
  ],
  read: async (visit, _filters, page) => {
    const { chains: rows, nextCursor } = await visit.ask(chainAdmin.listAuditChains, page);
    return { rows, nextCursor };
  },
  empty: "No project has recorded an audit.",
};

const keptDays = [30, 90, 180, 365, 730] as const;

const prune: Action = {
  path: "/audits/prune",
  title: "Prune to a checkpoint",
  button: "Erase the contents of these audits",
  isDanger: true,
  method: pruneMethod,
  describe: async (visit) => {
    const clientId = visit.query("client");
    const { chains: found } = await visit.ask(chainAdmin.listAuditChains, { projectClientId: clientId });
    return {
      crumbs: [["Audits", `/audits?client=${encodeURIComponent(clientId)}`]],
      what: html`<p>Erases the contents of all audits older than the chosen age. Their hashes and keys are kept, so the chain can still be verified. This cannot
be undone. It requires that the audits were exported first: with <code>platformctl audits export --client ${clientId}</code>, or by a download
that you then confirm under <a href="/audits/mark-exported?client=${clientId}">Confirm an export</a>.</p>
${facts([
  ["Project", idLink("/clients", clientId)],
  ["Records", countOf(found[0]?.length ?? 0n)],
  ["Exported up to", countOf(found[0]?.exportedSeq ?? 0n)],
  ["Pruned up to", countOf(found[0]?.prunedSeq ?? 0n)],
])}`,
    };
  },
  fields: () => [
    {
      name: "days",
      label: "Older than",
      choices: keptDays.map((days): [string, string] => [String(days), `${days} days`]),
      value: "365",
    },
  ],
  run: async (visit, options) => {
    const clientId = visit.query("client");
    const days = keptDays.find((each) => String(each) === visit.field("days"));
    if (days === undefined) throw new PageProblem(422, "This cannot be done", "Choose an age.");
    const request = { projectClientId: clientId, until: timestampFromDate(new Date(Date.now() - days * dayMs)) };
    let pruned = 0;
    for (let isDone = false; !isDone; ) {
      const batch = await visit.ask(pruneMethod, request, options);
      pruned += batch.pruned;
      isDone = batch.done;
    }
    return {
      redirect: `/audits?client=${encodeURIComponent(clientId)}`,
      notice: `The contents of ${countOf(pruned)} audits have been erased.`,
    };
  },
};

async function byDayPlot(visit: Visit, filters: Filters): Promise<HtmlValue> {
  const series = await usageByDay(visit, filters.client ?? "", plotDays, (kind) => kind.startsWith("audit"));
  return section(
    "By day",
    await figure({
      isWide: true,
      title: `Audits in the last ${plotDays} days`,
      unit: "audits",
      xTitle: "day (UTC)",
      kind: "bar",
      series,
    }),
  );
}

const verify: Action = {
  path: "/audits/verify",
  title: "Verify the chain",
  button: "Verify the whole chain",
  method: admin.verifyProjectAudits,
  describe: async (visit) => ({
    crumbs: [["Audits", `/audits?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>Reads every record of the chain and compares the hashes up to its head. This can take several seconds.</p>
${facts([["Project", idLink("/clients", visit.query("client"))]])}`,
  }),
  fields: () => [
    {
      name: "head",
      label: "Head that you stored elsewhere (optional)",
      hint: "64 hexadecimal digits. The chain must contain this head.",
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
      title: "Result of the verification",
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

export const audits: Screen = { lists: [list, chains], actions: [verify, markExported, prune] };
