import { setTimeout as delay } from "node:timers/promises";
import { createCoalescer } from "@platform/service-kit/mongo/coalesce";
import { writeErrorsOf } from "@platform/service-kit/mongo/insert-each";
import { withFact } from "@platform/service-kit/mongo/outbox";
import type { PlatformFact } from "@platform/service-kit/platform-events/platform-facts";
import type { RunAttempt, RunState } from "../domain/scheduled-run.ts";
import type { ClaimedRun } from "./claim-runs.ts";
import type { ScheduleModels } from "./scheduled-operation-model.ts";

/** How a claimed run goes on. */
export type Settlement = {
  readonly run: Pick<ClaimedRun, "_id" | "claim">;
  readonly state: Exclude<RunState, "running">;
  /** When it may be taken again; null when it is over. */
  readonly claimableAt: Date | null;
  /** The try that was made, if one was. */
  readonly attempt: RunAttempt | null;
  /** Why it is over, when no try says so. */
  readonly error?: string;
  /** What the client is told of it, by the same write. */
  readonly fact?: PlatformFact | null;
};

/** Writes what came of a claimed run. A run whose lease was lost is left to its new holder; writing the same twice changes nothing. */
export type RunSettler = (settlement: Settlement) => Promise<void>;

const attemptsKept = 200;
/** Outcomes are gathered so long. It delays no call, and calls end one by one: without it most commands would carry one outcome. */
const gatherMs = 8;

/**
 * A settler that writes what arrives together by one command, the try in the same update as the state. Runs of one claim that came to the
 * same end in the same millisecond share an update. A failure is that of the runs whose update failed, the others are settled.
 */
export function createRunSettler({ runs }: ScheduleModels): RunSettler {
  const settle = createCoalescer<Settlement>(
    async (settlements) => {
      const groups = [...Map.groupBy(settlements.keys(), (index) => sameUpdate(settlements[index])).values()];
      try {
        await runs.collection.bulkWrite(groups.map((indexes) => updateOf(indexes, settlements)) as never, {
          ordered: false,
        });
        return new Map();
      } catch (error) {
        const failures = writeErrorsOf(error);
        if (failures === null) throw error;
        return new Map(
          [...failures].flatMap(([at, failure]) => (groups[at] ?? []).map((index) => [index, failure] as const)),
        );
      }
    },
    // One under way: what arrives meanwhile goes together.
    { itemsMax: 500, callsMax: 1 },
  );
  let gathering: Promise<void> | null = null;
  return async (settlement) => {
    gathering ??= delay(gatherMs).then(() => {
      gathering = null;
    });
    await gathering;
    return settle(settlement);
  };
}

/** Equal for settlements that one update can write. */
function sameUpdate(settlement: Settlement | undefined): string {
  if (settlement === undefined) return "";
  const { run, state, claimableAt, attempt, error } = settlement;
  // What a target said, and a wait drawn for one run, belong to that run.
  const isOwn = claimableAt !== null || (attempt?.response ?? null) !== null || (settlement.fact ?? null) !== null;
  const own = isOwn ? run._id : "";
  return `${run.claim} ${state} ${attempt?.at.getTime()} ${attempt?.status_code} ${attempt?.error} ${error} ${own}`;
}

function updateOf(indexes: readonly number[], settlements: readonly Settlement[]) {
  const ids = indexes.flatMap((index) => settlements[index]?.run._id ?? []);
  const [first] = indexes;
  const settlement = first === undefined ? undefined : settlements[first];
  if (settlement === undefined) throw new Error("a group of settlements is never empty");
  const { run, state, claimableAt, attempt, error } = settlement;
  const update = {
    $set: {
      state,
      ...(claimableAt === null ? {} : { claimable_at: claimableAt }),
      ...(error === undefined ? {} : { error }),
    },
    $unset: { claim: "", ...(claimableAt === null ? { claimable_at: "", unsettled: "" } : {}) },
    ...(attempt === null
      ? {}
      : {
          $inc: { attempt_count: 1, tries_made: 1, tries_left: -1 },
          $push: { attempts: { $each: [attempt], $slice: -attemptsKept } },
        }),
  };
  if (ids.length === 1) {
    const told = withFact(update, settlement.fact ?? null);
    return { updateOne: { filter: { _id: run._id, claim: run.claim }, update: told } };
  }
  return { updateMany: { filter: { _id: { $in: ids }, claim: run.claim }, update } };
}
