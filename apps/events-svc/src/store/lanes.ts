import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";

type LaneRun = Required<Pick<ScheduledRunDocument, "_id" | "lane" | "state">>;

/** A lane: the runs of one stream of an ordered subscription, executed one after the other. */
export type Lane = { readonly subscriptionId: string; readonly lane: string };

/**
 * Makes the first unfinished run of a lane claimable. Its runs are inserted in order, so no earlier one can appear; repeating the call is
 * harmless.
 * @returns whether a run became claimable
 */
export async function releaseLane(models: ScheduleModels, { subscriptionId, lane }: Lane, now: Date): Promise<boolean> {
  const [first] = (await models.runs.collection
    .find({ subscription_id: subscriptionId, lane, unsettled: true } as never, {
      projection: { state: 1 },
      sort: { position: 1 },
      limit: 1,
    })
    .toArray()) as unknown as LaneRun[];
  if (first === undefined || first.state !== "waiting") return false;
  return (await release(models, [first._id], now)) > 0;
}

/** The same for some lanes of a subscription, or for all. */
export async function releaseLanes(
  models: ScheduleModels,
  subscriptionId: string,
  lanes: readonly string[] | "all",
  now: Date,
): Promise<number> {
  const found = (await models.runs.collection
    .find(
      {
        subscription_id: subscriptionId,
        unsettled: true,
        lane: lanes === "all" ? { $exists: true } : { $in: lanes },
      } as never,
      { projection: { state: 1, lane: 1 }, sort: { lane: 1, position: 1 }, batchSize: 5_000 },
    )
    .toArray()) as unknown as LaneRun[];
  const firsts = new Map<string, LaneRun>();
  for (const run of found) if (!firsts.has(run.lane)) firsts.set(run.lane, run);
  const waiting = [...firsts.values()].filter(({ state }) => state === "waiting").map(({ _id }) => _id);
  return waiting.length === 0 ? 0 : release(models, waiting, now);
}

/** Number of unfinished runs by lane. */
export async function openRunsByLane(
  { runs }: ScheduleModels,
  subscriptionId: string,
  lanes: readonly string[],
): Promise<Map<string, number>> {
  const open = new Map<string, number>();
  if (lanes.length === 0) return open;
  const found = (await runs.collection
    .find({ subscription_id: subscriptionId, unsettled: true, lane: { $in: lanes } } as never, {
      projection: { lane: 1 },
      batchSize: 5_000,
    })
    .toArray()) as unknown as LaneRun[];
  for (const { lane } of found) open.set(lane, (open.get(lane) ?? 0) + 1);
  return open;
}

async function release({ runs }: ScheduleModels, ids: readonly string[], now: Date): Promise<number> {
  const { modifiedCount } = await runs.collection.updateMany({ _id: { $in: ids }, state: "waiting" } as never, {
    $set: { state: "pending", claimable_at: now },
  });
  return modifiedCount;
}
