import { setTimeout as delay } from "node:timers/promises";
import type { PlatformFact, PlatformFacts } from "@platform/operator-plane/platform-events";
import type { Lane } from "../../store/lanes.ts";
import { releaseQueued } from "../../store/overlapping-runs.ts";
import type { ClaimedRun, RunQueue, Settlement } from "../../store/run-queue.ts";
import type { SubscriptionModels } from "../../store/subscriptions.ts";

/** Dependencies for writing the result of a claimed run. */
export type RunEndTools = {
  readonly models: Pick<SubscriptionModels, "schedule" | "subscriptions">;
  readonly facts: Pick<PlatformFacts, "of" | "notice">;
  readonly settle: RunQueue["settle"];
  readonly clock: () => Date;
  /** Called with the result of each attempt, such as `succeeded`, `failed` or `deferred`. */
  readonly observe: (result: string) => void;
  /** Makes the next run of an ordered stream claimable. */
  readonly releaseLane: (lane: Lane) => Promise<void>;
  /** Called when the next run of an operation with an overlap policy becomes claimable. */
  readonly onReleased: () => void;
};

/** The ways in which a claim of one run ends. */
export type RunEnds = {
  /** Writes a result, and makes the run claimable that waits for this one. */
  end(settlement: Settlement, result: string): Promise<void>;
  /** Makes the run due again after some milliseconds, without an attempt. */
  putBack(ms: number): Promise<void>;
  /** Ends the run without an attempt. @param error name of the reason */
  skip(error: string): Promise<void>;
};

/** Maximum backoff while the database is unavailable, in milliseconds. */
const settleWaitMsMax = 6_400;

/** Creates the functions that end the claim of a run. They reject if the result could not be written during the lease. */
export function createRunEnds(tools: RunEndTools, run: ClaimedRun): RunEnds {
  const end: RunEnds["end"] = async (settlement, result) => {
    tools.observe(result);
    await settlePatiently(tools, run, { ...settlement, fact: factOf(tools, run, settlement.state) });
    if (settlement.claimableAt === null) await releaseNext(tools, run);
  };
  return {
    end,
    putBack: (ms) => {
      const claimableAt = new Date(tools.clock().getTime() + ms);
      return end({ state: "pending", claimableAt, attempt: null }, "put_back");
    },
    skip: (error) => end({ state: "skipped", claimableAt: null, attempt: null, error }, "skipped"),
  };
}

/**
 * Writes an outcome, and retries while the database is unavailable, because an outcome that is not written causes a
 * second call. Writing it twice changes nothing. Once the lease has expired, the next worker decides.
 */
async function settlePatiently({ settle, clock }: RunEndTools, run: ClaimedRun, settlement: Settlement): Promise<void> {
  for (let waitMs = 100; ; waitMs *= 2) {
    try {
      return await settle(run, settlement);
    } catch (error) {
      // The waits add up to 12.7 s, which is within the lease of a short call.
      if (waitMs > settleWaitMsMax || clock() >= run.leasedUntil) throw error;
      await delay(waitMs);
    }
  }
}

/**
 * The platform event about a failed run. Runs that deliver events have none, because their failure would then cause
 * another event to be delivered.
 */
function factOf(
  { facts, clock }: RunEndTools,
  { document: run }: ClaimedRun,
  state: Settlement["state"],
): PlatformFact | null {
  if (state !== "failed" || run.subscription_id !== undefined) return null;
  const { _id: id, operation_id } = run;
  const fact = { resource: "scheduled_run", id, state, data: { operation_id } };
  return facts.of(run.project_client_id, fact, clock());
}

/** The ordered stream whose next run becomes claimable, or null. */
function laneOf({ document: { subscription_id, lane } }: ClaimedRun): Lane | null {
  return subscription_id === undefined || lane === undefined ? null : { subscriptionId: subscription_id, lane };
}

/** Makes the run claimable that waits for this one. */
async function releaseNext(tools: RunEndTools, run: ClaimedRun): Promise<void> {
  const { models, clock, releaseLane, onReleased } = tools;
  const lane = laneOf(run);
  if (lane !== null) return releaseLane(lane);
  if (run.document.in_turn !== true) return;
  if (await releaseQueued(models.schedule, run.document.operation_id, clock())) onReleased();
}
