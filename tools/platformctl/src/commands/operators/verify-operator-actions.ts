import { serviceNames } from "@platform/contracts/services";
import { steadyNowMs } from "@platform/kit/rpc/client";
import { operatorChainId } from "@platform/operator-plane/operators";
import { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import type { Ctl } from "../../ctl.ts";

/** Id of the chain of operators' actions, used where other chains have the id of a Project Client. */
const chainPage = 1_000;
const actionPage = 200;
const deadlineMs = 600_000;
/** Maximum time after which a finished action must be in the chain, because the relay adds it a moment later. */
const settleMsMax = 15_000;
const settleEveryMs = 500;

type Fault = { readonly reason: string; readonly action?: string };

export type Verification = {
  readonly valid: boolean;
  readonly length: number;
  /** The first fault. */
  readonly reason?: string;
  readonly action?: string;
  /** Every fault, at most 100. */
  readonly faults?: readonly Fault[];
  /** Positions of entries whose form no service could have written. The verification skips them, because they prove nothing. */
  readonly malformed_at_seq?: readonly number[];
};

const faultsMax = 100;
/** The form in which a service records an action in the chain: its id and the digest of its record. */
const entryForm = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) ([0-9a-f]{64})$/;

/**
 * Verifies the chain itself, then compares it with the services' records: each finished action is in the chain
 * unaltered, and each entry of the chain still has its action. It reports every fault, so that one bad entry does not
 * hide another.
 */
export async function verifyOperatorActions(ctl: Ctl): Promise<Verification> {
  const untilMs = performance.now() + settleMsMax;
  for (;;) {
    const recorded = await readRecords(ctl);
    const { digests: chained, malformed } = await readChain(ctl);
    const isSettled = [...recorded.keys()].every((id) => chained.has(id));
    if (!isSettled && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, settleEveryMs));
      continue;
    }
    const admin = ctl.connection("events").service(ProjectAuditAdminService);
    const proof = await admin.verifyProjectAudits({ projectClientId: operatorChainId }, call(ctl));
    // If an entry was appended after the records were read, its missing action is not a fault.
    const isKnown = [...chained.keys()].every((action) => recorded.has(action));
    const later = isKnown ? recorded : await readRecords(ctl);
    const faults: Fault[] = [
      ...(proof.valid ? [] : [{ reason: `${proof.reason} at seq ${proof.brokenAtSeq}` }]),
      ...[...recorded].flatMap(([action, digest]) => {
        if (!chained.has(action)) return [{ reason: "action_not_in_chain", action }];
        return chained.get(action) === digest ? [] : [{ reason: "action_altered", action }];
      }),
      ...[...chained.keys()]
        .filter((action) => !later.has(action))
        .map((action) => ({ reason: "action_missing", action })),
    ];
    const [first] = faults;
    return {
      valid: first === undefined,
      length: chained.size,
      ...first,
      ...(faults.length > 1 ? { faults: faults.slice(0, faultsMax) } : {}),
      ...(malformed.length > 0 ? { malformed_at_seq: malformed } : {}),
    };
  }
}

/** Reads the digests of all finished actions of all services, by id. */
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

/** Reads the entries of the chain, and the positions of malformed ones. */
async function readChain(ctl: Ctl): Promise<{ digests: Map<string, string>; malformed: number[] }> {
  const admin = ctl.connection("events").service(ProjectAuditAdminService);
  const digests = new Map<string, string>();
  const malformed: number[] = [];
  for (let afterSeq = 0n; ; ) {
    const { audits } = await admin.listProjectAudits(
      { projectClientId: operatorChainId, afterSeq, limit: chainPage },
      call(ctl),
    );
    for (const { seq, resourceId } of audits) {
      const [, id, digest] = entryForm.exec(resourceId) ?? [];
      if (id === undefined || digest === undefined) malformed.push(Number(seq));
      else digests.set(id, digest);
    }
    const last = audits.at(-1);
    if (last === undefined || audits.length < chainPage) return { digests, malformed };
    afterSeq = last.seq;
  }
}

const call = (ctl: Ctl) => ({ ...ctl.call(), deadlineMs: steadyNowMs() + deadlineMs });
