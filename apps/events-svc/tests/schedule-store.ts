import { newId } from "@platform/kit/process/secrets";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { untypedCollection } from "@platform/test-kit/documents";
import { startTestMongo } from "@platform/test-kit/mongo";
import { eventsModels } from "../src/store/models.ts";
import { createRunQueue } from "../src/store/run-queue.ts";
import type { ScheduledRunDocument } from "../src/store/scheduled-operation-model.ts";
import { callLimits, createCallPermits, createRunClaimer } from "../src/worker/runs/claim-runs.ts";

/** The runs of scheduled operations in the test's own database, without server or worker processes. */
export async function openScheduleStore() {
  const mongo = await startTestMongo();
  const connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  await buildIndexes(connection);
  const { schedule: models, subscriptions } = eventsModels(connection);
  const now = new Date();
  return {
    models,
    subscriptions,
    now,
    /** Records runs that have been claimable for a few seconds. */
    addRuns: async (
      count: number,
      fields: { clientId: string; operationOf: (index: number) => string; waitedSeconds?: number },
    ): Promise<string[]> => {
      const due = new Date(now.getTime() - (fields.waitedSeconds ?? 1) * 1_000);
      const runs = Array.from({ length: count }, (_, index) => ({
        _id: newId(),
        project_client_id: fields.clientId,
        operation_id: fields.operationOf(index),
        scheduled_for: due,
        claimable_at: due,
        state: "pending",
        attempts: [],
        attempt_count: 0,
        tries_made: 0,
        tries_left: 5,
      }));
      await untypedCollection(models.runs).insertMany(runs);
      return runs.map(({ _id }) => _id);
    },
    /** Stores an operation and a subscription of it, with the given statuses. */
    addSubscription: async (statuses: { operation: string; subscription: string }) => {
      const [operationId, subscriptionId] = [newId(), newId()];
      await untypedCollection(models.operations).insertOne({ _id: operationId, status: statuses.operation });
      await untypedCollection(subscriptions).insertOne({
        _id: subscriptionId,
        operation_id: operationId,
        status: statuses.subscription,
      });
      return { operationId, subscriptionId };
    },
    runs: () => models.runs.find({}).lean<ScheduledRunDocument[]>(),
    run: (id: string) => models.runs.findOne({ _id: id }).lean<ScheduledRunDocument | null>(),
    /** The queue of a worker whose clock is ahead by this many milliseconds. */
    queueAt: (aheadMs = 0) => createRunQueue(models, () => new Date(now.getTime() + aheadMs)),
    /** Creates a claimer with its own permits, as a worker process has it. */
    createClaimer: () => {
      const permits = createCallPermits(callLimits, () => 0);
      return {
        permits,
        claim: createRunClaimer(
          createRunQueue(models, () => now),
          permits,
          { findCallable: async () => new Map(), isFull: () => false, statusesOf: async () => new Map() },
        ),
      };
    },
    clear: () => models.runs.deleteMany({}),
    close: async () => {
      await connection.close();
      await mongo.close();
    },
  };
}

export type ScheduleStore = Awaited<ReturnType<typeof openScheduleStore>>;
