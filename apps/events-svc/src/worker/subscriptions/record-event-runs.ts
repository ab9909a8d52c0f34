import { randomUUID } from "node:crypto";
import { jittered, startPollLoop } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import type { DisabledClients } from "@platform/operator-plane/clients";
import type { Recorded } from "../../store/event-runs.ts";
import { recordHeldLanes } from "../../store/held-lanes.ts";
import { releaseLanes, releaseLanesOf } from "../../store/lanes.ts";
import { lastPositions } from "../../store/read-events.ts";
import {
  createLogReader,
  findActiveSubscriptions,
  type LogReader,
  recordEventRuns,
} from "../../store/record-event-runs.ts";
import type { HeldLane, ReplayDocument, SubscriptionDocument } from "../../store/subscription-model.ts";
import type { SubscriptionModels } from "../../store/subscriptions.ts";
import { createSubscriptionNotes, nextFullPause } from "./subscription-notes.ts";

export type EventRunRecorder = {
  /** Tells the recorder that events were published or numbered. It polls immediately, and frequently for a while. */
  notify(): void;
  stop(): Promise<void>;
};

/** Number of subscriptions that are processed concurrently. */
const atOnce = 8;
const leaseMs = 1_000;
/** Maximum age of the cached list of subscriptions, in milliseconds. */
const listMs = 250;
/** Poll intervals while events arrive, and after none have arrived for `activeMs`, in milliseconds. */
const gatherMs = 20;
const idleMs = 250;
const activeMs = 1_000;
/**
 * Interval in milliseconds of the search for ordered streams whose next run was not released because its worker died.
 */
const lanesEveryMs = 5_000;
/** Number of held lanes of one subscription that are checked in one step. */
const heldAtOnce = 16;
/** Time between two checks of held lanes that had no capacity, in milliseconds. */
const heldMs = 500;
/** Maximum delay in milliseconds before a position advances while no event matches. */
const moveMs = 250;

/**
 * Records runs for the subscriptions that match numbered events. Any number of workers may do this. A subscription
 * stays with the worker that recorded it last until that worker's lease expires, and if two workers record the same
 * run, there is only one document.
 * @param onRecorded called when there are new runs
 */
export function startEventRunRecorder(
  models: SubscriptionModels,
  options: {
    logger: Logger;
    clock: () => Date;
    disabledClients: Pick<DisabledClients, "has">;
    onRecorded: () => void;
  },
): EventRunRecorder {
  const { logger, clock, disabledClients, onRecorded } = options;
  const owner = randomUUID();
  const notes = createSubscriptionNotes();
  let listed: SubscriptionDocument[] = [];
  let listedAtMs = Number.NEGATIVE_INFINITY;
  let activeUntilMs = 0;

  const list = async (): Promise<SubscriptionDocument[]> => {
    if (performance.now() - listedAtMs >= listMs) {
      listed = await findActiveSubscriptions(models.subscriptions);
      notes.keepOnly(new Set(listed.map(({ _id }) => _id)));
      listedAtMs = performance.now();
    }
    return listed.filter(({ project_client_id }) => !disabledClients.has(project_client_id));
  };
  const isMine = ({ owner: other, leased_until }: SubscriptionDocument, now: Date): boolean =>
    other === undefined || other === owner || leased_until === undefined || leased_until <= now;

  /** Executes one step of a subscription. Returns true if there was something to record. */
  const step = async (subscription: SubscriptionDocument, last: number, readLog: LogReader): Promise<boolean> => {
    const now = clock();
    const { _id } = subscription;
    const note = notes.of(_id);
    const { full } = note;
    const wasFull = full !== null;
    const options = { owner, now, until: new Date(now.getTime() + leaseMs), readLog, wasFull };
    let known = subscription;
    let recorded = 0;
    const lanes: string[] = [];
    const take = (result: Recorded | null): void => {
      // Another worker wrote first, so the cached subscription is outdated.
      if (result === null) listedAtMs = Number.NEGATIVE_INFINITY;
      else {
        known = result.subscription;
        recorded += result.count;
        lanes.push(...result.lanes);
      }
    };
    if (full === null || performance.now() >= full.untilMs) {
      note.full = null;
      const record = async (replay: ReplayDocument | null, isPatient: boolean): Promise<void> => {
        const result = await recordEventRuns(models, known, replay, { ...options, isPatient });
        if (result?.isFull === true) note.full = nextFullPause(full, performance.now());
        take(result);
      };
      if (last > known.recorded_to) await record(null, performance.now() - note.movedAtMs < moveMs);
      const [replay] = known.replays;
      if (replay !== undefined) await record(replay, false);
    }
    const held = heldInTurn(known);
    if (held.length > 0) {
      const before = known;
      take(await recordHeldLanes(models, known, held, now));
      // No held lane has advanced, so they are not checked again for a while.
      if (known === before) note.heldLookedAtMs = performance.now();
    }
    const at = listed.indexOf(subscription);
    if (at !== -1) listed[at] = known;
    if (known !== subscription) note.movedAtMs = performance.now();
    if (recorded > 0) onRecorded();
    if (subscription.order === "stream") await keepLanesGoing(_id, lanes, now);
    return recorded > 0 || known !== subscription;
  };
  /** Returns some of the held lanes of a subscription, different ones at each call. */
  const heldInTurn = ({ _id, held = [] }: SubscriptionDocument): readonly HeldLane[] => {
    const note = notes.of(_id);
    if (performance.now() - note.heldLookedAtMs < heldMs) return [];
    if (held.length <= heldAtOnce) return held;
    const begin = note.heldFrom % held.length;
    note.heldFrom = begin + heldAtOnce;
    return [...held, ...held].slice(begin, begin + heldAtOnce);
  };
  const keepLanesGoing = async (id: string, lanes: readonly string[], now: Date): Promise<void> => {
    const nowMs = performance.now();
    const note = notes.of(id);
    const isSweep = nowMs - note.lanesReleasedAtMs >= lanesEveryMs;
    if (isSweep) note.lanesReleasedAtMs = nowMs;
    else if (lanes.length === 0) return;
    const released = isSweep
      ? await releaseLanesOf(models.schedule, id, now)
      : await releaseLanes(
          models.schedule,
          lanes.map((lane) => ({ subscriptionId: id, lane })),
          now,
        );
    if (released > 0) onRecorded();
  };

  const round = async (): Promise<number> => {
    const subscriptions = await list();
    if (subscriptions.length === 0) return idleMs;
    const last = await lastPositions(models.event, [
      ...new Set(subscriptions.map(({ project_client_id }) => project_client_id)),
    ]);
    const now = clock();
    // The subscriptions that are furthest behind come first, because the others can reuse the events that they read.
    const mine = subscriptions
      .filter((subscription) => isMine(subscription, now))
      .sort((one, other) => one.recorded_to - other.recorded_to);
    const readLog = createLogReader(models.event);
    let hasWorked = false;
    for (let at = 0; at < mine.length; at += atOnce) {
      const worked = await Promise.all(
        mine
          .slice(at, at + atOnce)
          .map((subscription) => step(subscription, last.get(subscription.project_client_id) ?? 0, readLog)),
      );
      hasWorked ||= worked.includes(true);
    }
    if (hasWorked) activeUntilMs = performance.now() + activeMs;
    return performance.now() < activeUntilMs ? gatherMs : jittered(idleMs);
  };

  const loop = startPollLoop({
    round,
    failed: (error) => {
      listedAtMs = Number.NEGATIVE_INFINITY;
      logger.error({ err: error, job: "record-event-runs" }, "the runs of subscribed events could not be recorded");
      return idleMs;
    },
  });
  return {
    notify: () => {
      const isIdle = performance.now() >= activeUntilMs;
      activeUntilMs = performance.now() + activeMs;
      if (isIdle) loop.wake();
    },
    stop: loop.stop,
  };
}
