import { randomUUID } from "node:crypto";
import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Sweep } from "@platform/kit/jobs/work";
import type { Logger, Metrics } from "@platform/kit/process/telemetry";
import { Gauge } from "@prometheus-io/client";
import { auditChainFigures, findChainsToVerify, verifyChain } from "../store/audit-chains.ts";
import { type LeaseModel, takeLease } from "../store/lease-model.ts";
import type { AuditModels } from "../store/project-audit-model.ts";

const lookEveryMs = 60_000;
const leaseMs = 5 * 60_000;
const batchMax = 20;

/**
 * Verifies every chain once per UTC day, starting at midnight, and stores the result with the chain's head. A lease
 * ensures that only one worker does this. A chain whose verification takes longer than the lease may be verified
 * twice, which is harmless.
 */
export function startAuditChainVerification(options: {
  readonly models: AuditModels;
  readonly leases: LeaseModel;
  readonly sweep: Sweep;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: () => Date;
}): RepeatedJob {
  const { models, leases, sweep, metrics, logger, clock } = options;
  const owner = randomUUID();
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [metrics.registry] });
  const broken = gauge(
    "platform_events_audit_chains_broken",
    "Chains of Project Audits that did not hold when last verified.",
  );
  const unverified = gauge(
    "platform_events_audit_chain_unverified_seconds",
    "Since when the chain that was verified longest ago has not been verified.",
  );

  const verifyOne = async (clientId: string, signal: AbortSignal): Promise<void> => {
    const fault = await verifyChain(models, clientId, clock(), signal);
    if (fault !== null)
      logger.error(
        { project_client_id: clientId, audit_seq: fault.seq, reason: fault.reason },
        "the chain of Project Audits is broken",
      );
  };
  const verify = async (signal: AbortSignal): Promise<void> => {
    const run = await sweep.begin(signal);
    while (run.goesOn()) {
      const now = clock();
      if (!(await takeLease(leases, "verify-audit-chains", owner, now, new Date(now.getTime() + leaseMs)))) return;
      const due = await findChainsToVerify(models, now.toISOString().slice(0, 10), batchMax, run.waiting());
      for (const clientId of due) {
        if (!run.goesOn()) return;
        await run.attempt(clientId, () => verifyOne(clientId, signal));
      }
      if (due.length < batchMax) return run.end();
    }
  };
  return repeat("verify-audit-chains", lookEveryMs, logger, async (signal) => {
    await verify(signal);
    const figures = await auditChainFigures(models);
    broken.set(figures.broken);
    unverified.set(
      figures.verifiedSince === null ? 0 : Math.max(0, clock().getTime() - figures.verifiedSince.getTime()) / 1000,
    );
  });
}
