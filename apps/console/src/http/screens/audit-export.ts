import { html } from "@platform/kit/web/http";
import { AuditChainAdminService } from "@platform/proto/events/v1/audit_chain_admin";
import { ProjectAuditPruneService } from "@platform/proto/events/v1/audit_prune_admin";
import type { ProjectAudit } from "@platform/proto/events/v1/events_admin";
import { PageProblem } from "../page-problem.ts";
import { countOf, facts, idLink, isoOf } from "../pages/elements.ts";
import type { Action, Column } from "../screen.ts";

/**
 * Columns of a complete record, as in `platformctl audits export`. With the previous hash, each line proves that it
 * follows the previous line.
 */
export const exportColumns: readonly Column<ProjectAudit>[] = [
  { key: "seq", title: "Seq", value: ({ seq }) => Number(seq) },
  { key: "id", title: "Id", value: ({ id }) => id },
  // Empty after the person was erased.
  { key: "actor_id", title: "Actor", value: ({ actorId }) => actorId || null },
  { key: "action", title: "Action", value: ({ action }) => action },
  { key: "resource_type", title: "Resource type", value: ({ resourceType }) => resourceType },
  { key: "resource_id", title: "Resource", value: ({ resourceId }) => resourceId || null },
  { key: "outcome", title: "Outcome", value: ({ outcome }) => outcome },
  { key: "recorded_at", title: "Recorded", value: ({ recordedAt }) => isoOf(recordedAt) },
  { key: "previous_hash", title: "Previous hash", value: ({ previousHash }) => previousHash },
  { key: "hash", title: "Hash", value: ({ hash }) => hash },
];

/**
 * The action that marks records as exported. A browser cannot report that a file was saved, so the person who has the
 * file confirms it with values from its last line.
 */
export const markExported: Action = {
  path: "/audits/mark-exported",
  title: "Confirm an export",
  button: "Confirm the export",
  method: ProjectAuditPruneService.method.markProjectAuditsExported,
  describe: async (visit) => {
    const clientId = visit.query("client");
    const { chains } = await visit.ask(AuditChainAdminService.method.listAuditChains, { projectClientId: clientId });
    return {
      crumbs: [["Audits", `/audits?client=${encodeURIComponent(clientId)}`]],
      what: html`<p>Confirm that you have stored an export of <strong>all</strong> audits of this project, made without filters. Audits up to the last line of the
export can then be pruned.</p>${facts([
        ["Project", idLink("/clients", clientId)],
        ["Records", countOf(chains[0]?.length ?? 0n)],
        ["Exported up to", countOf(chains[0]?.exportedSeq ?? 0n)],
      ])}`,
    };
  },
  fields: () => [
    { name: "seq", label: "Sequence number (seq) of the last line", type: "number", isRequired: true },
    { name: "hash", label: "Hash of the last line", hint: "64 hex.", maxLength: 64, isRequired: true },
  ],
  run: async (visit, options) => {
    const clientId = visit.query("client");
    const [seq, hash] = [visit.field("seq"), visit.field("hash").toLowerCase()];
    if (!/^[1-9]\d{0,14}$/.test(seq) || !/^[0-9a-f]{64}$/.test(hash))
      throw new PageProblem(
        422,
        "This cannot be done",
        "Copy the seq and the hash (64 hexadecimal digits) from the last line of the file.",
      );
    const request = { projectClientId: clientId, throughSeq: BigInt(seq), hash };
    const { exportedSeq } = await visit.ask(
      ProjectAuditPruneService.method.markProjectAuditsExported,
      request,
      options,
    );
    return {
      redirect: `/audits?client=${encodeURIComponent(clientId)}`,
      notice: `The export is confirmed up to audit ${countOf(exportedSeq)}.`,
    };
  },
};
