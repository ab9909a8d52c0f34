import { collectionOf } from "@platform/kit/store/documents";
import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";

type LaneRun = Required<Pick<ScheduledRunDocument, "_id" | "subscription_id" | "lane" | "position" | "state">>;

/** A lane: the runs of one stream of an ordered subscription, executed one after the other. */
export type Lane = { readonly subscriptionId: string; readonly lane: string };

/**
 * Makes the first unfinished run of each given lane claimable. A lane's runs are inserted in order, so no earlier run
 * can appear later. Repeating the call is harmless.
 * @returns how many runs became claimable
 */
export function releaseLanes(models: ScheduleModels, lanes: readonly Lane[], now: Date): Promise<number> {
  const bySubscription = [...Map.groupBy(lanes, ({ subscriptionId }) => subscriptionId)];
  const conditions = bySubscription.map(([subscriptionId, some]) => ({
    subscription_id: subscriptionId,
    unsettled: true,
    lane: { $in: [...new Set(some.map(({ lane }) => lane))] },
  }));
  return releaseFirsts(models, conditions, now);
}

/** Makes the first unfinished run of every lane of a subscription claimable. */
export function releaseLanesOf(models: ScheduleModels, subscriptionId: string, now: Date): Promise<number> {
  return releaseFirsts(models, [{ subscription_id: subscriptionId, unsettled: true, lane: { $exists: true } }], now);
}

async function releaseFirsts({ runs }: ScheduleModels, conditions: readonly object[], now: Date): Promise<number> {
  const found = (await collectionOf(runs)
    .find((conditions.length === 1 && conditions[0]) || { $or: conditions }, {
      projection: { subscription_id: 1, lane: 1, position: 1, state: 1 },
      batchSize: 5_000,
    })
    .toArray()) as LaneRun[];
  const firsts = new Map<string, LaneRun>();
  for (const run of found) {
    const key = `${run.subscription_id} ${run.lane}`;
    const first = firsts.get(key);
    if (first === undefined || run.position < first.position) firsts.set(key, run);
  }
  const waiting = [...firsts.values()].filter(({ state }) => state === "waiting").map(({ _id }) => _id);
  if (waiting.length === 0) return 0;
  const { modifiedCount } = await collectionOf(runs).updateMany(
    { _id: { $in: waiting }, state: "waiting" },
    { $set: { state: "pending", claimable_at: now } },
  );
  return modifiedCount;
}

/** The number of unfinished runs of each lane. */
export async function openRunsByLane(
  { runs }: ScheduleModels,
  subscriptionId: string,
  lanes: readonly string[],
): Promise<Map<string, number>> {
  const open = new Map<string, number>();
  if (lanes.length === 0) return open;
  const found = (await collectionOf(runs)
    .find(
      { subscription_id: subscriptionId, unsettled: true, lane: { $in: lanes } },
      {
        projection: { lane: 1 },
        batchSize: 5_000,
      },
    )
    .toArray()) as Pick<LaneRun, "lane">[];
  for (const { lane } of found) open.set(lane, (open.get(lane) ?? 0) + 1);
  return open;
}
