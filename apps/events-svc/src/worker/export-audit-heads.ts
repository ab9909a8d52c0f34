import { createHash, randomUUID } from "node:crypto";
import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Sweep } from "@platform/kit/jobs/work";
import type { Logger } from "@platform/kit/process/telemetry";
import { platformLogId } from "@platform/operator-plane/platform-events";
import { type AuditHead, findHeadsToExport, markHeadExported } from "../store/export-audit-heads.ts";
import { type LeaseModel, takeLease } from "../store/lease-model.ts";
import type { AuditModels } from "../store/project-audit-model.ts";
import type { EventPublisher } from "../store/publish-domain-event.ts";

const lookEveryMs = 60_000;
const leaseMs = 5 * 60_000;
const batchMax = 500;

/**
 * Exports the head of every chain once per UTC day, as a log line and as a platform event. A head that is stored
 * outside of the database reveals if the whole chain was rewritten later. A lease ensures that only one worker does
 * this. If it crashes before a head is marked, the log line is repeated; the event is published only once, by its
 * key.
 */
export function startAuditHeadExport(options: {
  readonly models: AuditModels;
  readonly leases: LeaseModel;
  readonly publisher: EventPublisher;
  readonly sweep: Sweep;
  readonly logger: Logger;
  readonly clock: () => Date;
}): RepeatedJob {
  const { models, leases, publisher, sweep, logger, clock } = options;
  const owner = randomUUID();

  const exportHead = async ({ clientId, length, hash }: AuditHead, day: string): Promise<void> => {
    logger.info({ project_client_id: clientId, audit_length: length, audit_head: hash }, "audit head");
    const event = {
      type: "platform.audit_head",
      schema_version: 1,
      data_json: JSON.stringify({ project_client_id: clientId, length, head: hash }),
      stream_id: null,
      sequence: null,
      occurred_at: null,
    };
    // The key contains the length of the chain, because the head may have advanced before a repeated export.
    const key = `audit-head:${clientId}:${day}:${length}`;
    const fingerprint = createHash("sha256").update(event.data_json).digest("hex");
    await publisher.publish(platformLogId, event, { key, fingerprint });
    await markHeadExported(models, clientId, day);
  };

  return repeat("export-audit-heads", lookEveryMs, logger, async (signal) => {
    const run = await sweep.begin(signal);
    while (run.goesOn()) {
      const now = clock();
      if (!(await takeLease(leases, "export-audit-heads", owner, now, new Date(now.getTime() + leaseMs)))) return;
      const day = now.toISOString().slice(0, 10);
      const heads = await findHeadsToExport(models, day, batchMax, run.waiting());
      for (const head of heads) {
        if (!run.goesOn()) return;
        await run.attempt(head.clientId, () => exportHead(head, day));
      }
      if (heads.length < batchMax) return run.end();
    }
  });
}
