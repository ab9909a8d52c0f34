import { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { type Ctl, serviceNames } from "../../ctl.ts";

/** Stands for a Project Client's id: the chain of operators' actions. */
const chainId = "operator-actions";
const chainPage = 1_000;
const actionPage = 200;
const deadlineMs = 600_000;
/** An action that is over is in the chain a moment later. */
const settleMsMax = 15_000;
const settleEveryMs = 500;

export type Verification =
  | { readonly valid: true; readonly length: number }
  | { readonly valid: false; readonly length: number; readonly reason: string; readonly action?: string };

/**
 * Verifies the chain itself, then compares it with the services' records: each finished action is in the chain unaltered, and each entry of the chain
 * still has its action.
 */
export async function verifyOperatorActions(ctl: Ctl): Promise<Verification> {
  const untilMs = Date.now() + settleMsMax;
  for (;;) {
    const recorded = await readRecords(ctl);
    const chained = await readChain(ctl);
    const isSettled = [...recorded.keys()].every((id) => chained.has(id));
    if (!isSettled && Date.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, settleEveryMs));
      continue;
    }
    const admin = ctl.connection("events").service(ProjectAuditAdminService);
    const proof = await admin.verifyProjectAudits({ projectClientId: chainId }, call(ctl));
    const length = chained.size;
    if (!proof.valid) return { valid: false, length, reason: `${proof.reason} at seq ${proof.brokenAtSeq}` };
    for (const [action, digest] of recorded) {
      if (!chained.has(action)) return { valid: false, length, reason: "action_not_in_chain", action };
      if (chained.get(action) !== digest) return { valid: false, length, reason: "action_altered", action };
    }
    // An entry appended after the records were read is not a missing action.
    const missing = [...chained.keys()].find((action) => !recorded.has(action));
    if (missing !== undefined && !(await readRecords(ctl)).has(missing)) {
      return { valid: false, length, reason: "action_missing", action: missing };
    }
    return { valid: true, length };
  }
}

/** Digest by id of every action that is over, of all services. */
async function readRecords(ctl: Ctl): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  const read = async (service: (typeof serviceNames)[number]): Promise<void> => {
    const admin = ctl.connection(service).service(OperatorActionAdminService);
    for (let cursor = ""; ; ) {
      const page = await admin.listOperatorActions({ limit: actionPage, cursor }, call(ctl));
      for (const { id, digest } of page.actions) if (digest !== undefined) digests.set(id, digest);
      if (page.nextCursor === "") return;
      cursor = page.nextCursor;
    }
  };
  await Promise.all(serviceNames.map(read));
  return digests;
}

/** The same as the chain has it. */
async function readChain(ctl: Ctl): Promise<Map<string, string>> {
  const admin = ctl.connection("events").service(ProjectAuditAdminService);
  const digests = new Map<string, string>();
  for (let afterSeq = 0n; ; ) {
    const { audits } = await admin.listProjectAudits(
      { projectClientId: chainId, afterSeq, limit: chainPage },
      call(ctl),
    );
    for (const { resourceId } of audits) {
      const [id = "", digest = ""] = resourceId.split(" ");
      digests.set(id, digest);
    }
    const last = audits.at(-1);
    if (last === undefined || audits.length < chainPage) return digests;
    afterSeq = last.seq;
  }
}

const call = (ctl: Ctl) => ({ ...ctl.call(), deadlineMs: Date.now() + deadlineMs });
