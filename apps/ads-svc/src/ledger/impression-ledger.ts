import { setTimeout as delay } from "node:timers/promises";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { steadyNowMs } from "@platform/kit/rpc/client";
import { deadlineExceeded, dependencyUnavailable } from "@platform/kit/rpc/errors";
import { LRUCache } from "lru-cache";
import { type Campaign, ledgerEnd } from "../domain/campaign.ts";
import type { ImpressionFacts } from "../domain/impression.ts";
import type { ImpressionStore, InsertFaults } from "../store/impressions.ts";
import {
  type CampaignQueue,
  createCampaignQueue,
  isLookDue,
  learnHead,
  loseHead,
  type PlacedImpression,
  placeBatch,
  type RecordOutcome,
  type WaitingImpression,
} from "./campaign-queue.ts";
import type { LedgerMetrics } from "./ledger-metrics.ts";

/** Limits of one process. */
const limits = {
  /** Maximum number of impressions in one append. */
  batch: 1000,
  /** Maximum number of concurrent appends of busy campaigns. It is smaller than the connection pool, so that these appends do not block the common ones. */
  ownAppends: 40,
  /**
   * Maximum number of concurrent appends of quiet campaigns. Each contains one impression of many campaigns. The number is small, so that each append collects
   * more of them.
   */
  commonAppends: 4,
  /** Maximum number of impressions that wait or are in progress; further ones are rejected as dependency_unavailable. */
  open: 20_000,
  /** Number of recorded decisions that are cached, so that replays cost no query. */
  remembered: 100_000,
  /** Number of campaigns whose head is cached. */
  campaigns: 10_000,
  /** Maximum number of attempts of an append that gets no response, before its callers get an error. */
  tries: 3,
} as const;

export type ImpressionLedger = {
  /**
   * Records an impression once, and returns its charge once a majority of the database's members has stored it on disk. Impressions that arrive during an
   * append are part of the next one.
   * @param deadlineMs epoch milliseconds after which nobody waits for the response
   * @throws ServiceError dependency_unavailable or deadline_exceeded: the outcome is unknown, and the call may be repeated
   */
  record(campaign: Campaign, facts: ImpressionFacts, deadlineMs: number): Promise<RecordOutcome>;
};

const replayed: RecordOutcome = { recorded: false, chargedMinor: 0 };

/**
 * Creates the ledger, which appends the waiting impressions of a campaign together (group commit). This process chooses the ordinals, and the unique indexes of
 * the store ensure that each is used once.
 */
export function createImpressionLedger(options: {
  readonly store: ImpressionStore;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: LedgerMetrics;
}): ImpressionLedger {
  const { store, clock, logger, metrics } = options;
  const queues = new LRUCache<string, CampaignQueue>({ max: limits.campaigns });
  const remembered = new LRUCache<string, true>({ max: limits.remembered });
  const open = new Map<string, Promise<RecordOutcome>>();
  const ready = new Set<CampaignQueue>();
  let ownAppends = 0;
  let commonAppends = 0;
  let isPumpDue = false;

  /** Starts appends once all impressions that arrive in this event-loop tick are queued. */
  const schedulePump = (): void => {
    if (isPumpDue) return;
    isPumpDue = true;
    setImmediate(() => {
      isPumpDue = false;
      pump();
    });
  };

  const pump = (): void => {
    const single: CampaignQueue[] = [];
    for (const queue of ready) {
      if (queue.waiting.length === 1 && queue.waiting[0]?.isUncertain === false) {
        if (single.length < limits.batch) single.push(queue);
      } else if (ownAppends < limits.ownAppends) {
        begin(queue);
        ownAppends += 1;
        void appendWaiting(queue).finally(() => {
          ownAppends -= 1;
          end(queue);
        });
      }
    }
    // Campaigns that have to read their head first are appended separately, so that the others do not wait for them.
    beginCommon(single.filter((queue) => !isLookDue(queue)));
    beginCommon(single.filter(isLookDue));
  };

  const beginCommon = (group: readonly CampaignQueue[]): void => {
    if (group.length === 0 || commonAppends >= limits.commonAppends) return;
    for (const queue of group) begin(queue);
    commonAppends += 1;
    void appendTogether(group).finally(() => {
      commonAppends -= 1;
      for (const queue of group) end(queue);
    });
  };

  const begin = (queue: CampaignQueue): void => {
    queue.isBusy = true;
    ready.delete(queue);
  };

  const end = (queue: CampaignQueue): void => {
    queue.isBusy = false;
    queue.appends += 1;
    if (queue.waiting.length > 0) ready.add(queue);
    schedulePump();
  };

  /** Appends the waiting impressions of one campaign, if there are several, or one that may already be recorded. */
  const appendWaiting = async (queue: CampaignQueue): Promise<void> => {
    try {
      await settleUncertain(queue);
      await lookIfDue(queue);
    } catch (error) {
      return await putBackUnanswered(queue, takeBatch(queue), error);
    }
    const batch = takeBatch(queue);
    if (batch.length === 0 || queue.head === null) return;
    const placed = placeBatch(queue, queue.head, batch, clock());
    try {
      const faults = await store.insertBatch(
        placed.map(({ document }) => document),
        true,
      );
      metrics.appends.inc({ kind: "own" });
      metrics.batchSize.observe(batch.length);
      settle(queue, batch, placed, faults);
    } catch (error) {
      await putBackUnanswered(queue, batch, error);
    }
  };

  /**
   * Appends one impression of each of many campaigns. The insert is unordered, so that an error of one campaign does not delay the others. It cannot cause a
   * gap, because it contains only one impression of each campaign.
   */
  const appendTogether = async (group: readonly CampaignQueue[]): Promise<void> => {
    const looks = group.map((queue) =>
      lookIfDue(queue).catch((error: unknown) => putBackUnanswered(queue, takeBatch(queue), error)),
    );
    await Promise.all(looks);
    const placed = group.flatMap((queue) => {
      const [waiting] = queue.head === null ? [] : takeBatch(queue, 1);
      if (waiting === undefined || queue.head === null) return [];
      return placeBatch(queue, queue.head, [waiting], clock()).map((entry) => ({ queue, waiting, entry }));
    });
    if (placed.length === 0) return;
    try {
      const faults = await store.insertBatch(
        placed.map(({ entry }) => entry.document),
        false,
      );
      metrics.appends.inc({ kind: "common" });
      metrics.batchSize.observe(placed.length);
      placed.forEach(({ queue, waiting, entry }, index) => {
        const fault = faults.get(index);
        settle(queue, [waiting], [entry], new Map(fault === undefined ? [] : [[0, fault]]));
      });
    } catch (error) {
      await Promise.all(placed.map(({ queue, waiting }) => putBackUnanswered(queue, [waiting], error)));
    }
  };

  /** Resolves the recorded part of a batch, and puts the rest back at the front of the queue. */
  const settle = (
    queue: CampaignQueue,
    batch: readonly WaitingImpression[],
    placed: readonly PlacedImpression[],
    faults: InsertFaults,
  ): void => {
    const stop = Math.min(batch.length, ...faults.keys());
    for (let index = 0; index < stop; index += 1) {
      batch[index]?.resolve({ recorded: true, chargedMinor: placed[index]?.document.charged_minor ?? 0 });
    }
    if (stop > 0) queue.head = placed[stop - 1]?.head ?? null;
    const rest = batch.slice(stop);
    const fault = faults.get(stop);
    if (fault === "ordinal_taken") {
      metrics.conflicts.inc();
      loseHead(queue);
    }
    // Marking all of them lets one query find all replays in the batch. Otherwise each replay would cause a failed
    // append.
    if (fault === "recorded") for (const waiting of rest) waiting.isUncertain = true;
    queue.waiting.unshift(...rest);
  };

  /** Reads the head of the ledger if the known one may be outdated. */
  const lookIfDue = async (queue: CampaignQueue): Promise<void> => {
    if (!isLookDue(queue)) return;
    const { ordinal, paid } = await store.readHead(queue.campaign.id);
    learnHead(queue, { ...ledgerEnd(queue.campaign, ordinal, paid), isTracked: paid !== null });
  };

  /** Looks up which of the uncertain impressions are in the ledger, and which call recorded them. */
  const settleUncertain = async (queue: CampaignQueue): Promise<void> => {
    const uncertain = queue.waiting.filter((waiting) => waiting.isUncertain);
    if (uncertain.length === 0) return;
    const recorded = await store.findRecorded(
      queue.campaign.id,
      uncertain.map(({ facts }) => facts.id),
    );
    for (const waiting of uncertain) {
      waiting.isUncertain = false;
      const found = recorded.get(waiting.facts.id);
      if (found === undefined) continue;
      const isOwn = found.claim === waiting.claim;
      waiting.resolve(isOwn ? { recorded: true, chargedMinor: found.chargedMinor } : replayed);
    }
    queue.waiting = queue.waiting.filter(({ facts }) => !recorded.has(facts.id));
  };

  /** Takes the next impressions of a campaign. Those whose callers no longer wait are removed. */
  const takeBatch = (queue: CampaignQueue, most: number = limits.batch): WaitingImpression[] => {
    // Deadlines are set by the transport, so they are compared with its clock and not with the domain's.
    const now = steadyNowMs();
    const taken = queue.waiting.splice(0, most);
    const late = taken.filter(({ deadlineMs }) => deadlineMs <= now);
    for (const waiting of late) waiting.reject(deadlineExceeded());
    return late.length === 0 ? taken : taken.filter((waiting) => !late.includes(waiting));
  };

  /** Handles an append whose outcome is unknown: every impression will be looked up, and callers that have waited too long get an error. */
  const putBackUnanswered = async (queue: CampaignQueue, batch: WaitingImpression[], error: unknown): Promise<void> => {
    logger.warn(
      { err: error, resource_id: queue.campaign.id, count: batch.length },
      "an append to the ledger got no response",
    );
    queue.head = null;
    const kept: WaitingImpression[] = [];
    for (const waiting of batch) {
      waiting.tries += 1;
      waiting.isUncertain = true;
      if (waiting.tries >= limits.tries) waiting.reject(dependencyUnavailable(error));
      else kept.push(waiting);
    }
    queue.waiting.unshift(...kept);
    await delay(50);
  };

  const enqueue = (campaign: Campaign, facts: ImpressionFacts, deadlineMs: number): Promise<RecordOutcome> => {
    const { promise, resolve, reject } = Promise.withResolvers<RecordOutcome>();
    const queue = queues.get(campaign.id) ?? createCampaignQueue(campaign);
    queues.set(campaign.id, queue);
    // Budgets only grow, so the campaign with the larger budget is the later one.
    if (campaign.budgetMinor > queue.campaign.budgetMinor) queue.campaign = campaign;
    queue.waiting.push({ facts, claim: newId(), deadlineMs, tries: 0, isUncertain: false, resolve, reject });
    if (!queue.isBusy) ready.add(queue);
    schedulePump();
    return promise;
  };

  const remember = async (id: string, outcome: Promise<RecordOutcome>): Promise<RecordOutcome> => {
    try {
      const settled = await outcome;
      remembered.set(id, true);
      return settled;
    } finally {
      open.delete(id);
    }
  };

  return {
    record: async (campaign, facts, deadlineMs) => {
      if (remembered.has(facts.id)) return replayed;
      const first = open.get(facts.id);
      if (first !== undefined) {
        await first;
        return replayed;
      }
      if (open.size >= limits.open) throw dependencyUnavailable();
      const outcome = remember(facts.id, enqueue(campaign, facts, deadlineMs));
      open.set(facts.id, outcome);
      return await outcome;
    },
  };
}
