import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";

type LaneRun = Required<Pick<ScheduledRunDocument, "_id" | "lane" | "state">>;

/** The ordered runs of a subscription that belong to one stream. */
export type Lane = { readonly subscriptionId: string; readonly lane: string };

/**
 * Makes the first unfinished run of an ordered stream claimable. Its runs are inserted in order, so no earlier one can appear; repeating the call is
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

/** The same for every ordered stream of a subscription. */
export async function releaseLanes(models: ScheduleModels, subscriptionId: string, now: Date): Promise<number> {
  const found = (await models.runs.collection
    .find({ subscription_id: subscriptionId, unsettled: true, lane: { $exists: true } } as never, {
      projection: { state: 1, lane: 1 },
      sort: { lane: 1, position: 1 },
      batchSize: 2_000,
    })
    .toArray()) as unknown as LaneRun[];
  const firsts = new Map<string, LaneRun>();
  for (const run of found) if (!firsts.has(run.lane)) firsts.set(run.lane, run);
  const waiting = [...firsts.values()].filter(({ state }) => state === "waiting").map(({ _id }) => _id);
  return waiting.length === 0 ? 0 : release(models, waiting, now);
}

async function release({ runs }: ScheduleModels, ids: readonly string[], now: Date): Promise<number> {
  const { modifiedCount } = await runs.collection.updateMany({ _id: { $in: ids }, state: "waiting" } as never, {
    $set: { state: "pending", claimable_at: now },
  });
  return modifiedCount;
}
