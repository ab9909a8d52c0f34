import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import { collectionOf, withFact } from "@platform/kit/store/documents";
import type { Fact, PlatformFacts } from "./platform-facts.ts";

/** Fields of a document whose work can fail. */
export type FailingFields = {
  /** Time of the first failure since its work last succeeded; absent if the latest attempt succeeded. */
  readonly failing_since?: Date;
  /** True once the client has been notified of this failure. */
  readonly failing_told?: boolean;
};

/** Fields for the schema of such a document, which must also have an outbox. */
export const failingSchema = { failing_since: Date, failing_told: Boolean } as const;

/** Adds the index of failing resources, which usually has few entries. */
export function indexFailing(schema: { index(fields: object, options: object): unknown }): void {
  schema.index({ failing_since: 1 }, { sparse: true });
}

/** If every attempt for a resource fails for this long, its contacts are notified. In milliseconds. */
export const failingMs = 60 * 60_000;
const lookEveryMs = 15_000;

/** Tracks which resources of a collection fail. */
export type FailureWatch = RepeatedJob & {
  /** Records the outcome of an attempt. It writes only when a resource starts or stops failing. */
  note(id: string, isSuccess: boolean): Promise<void>;
};

/**
 * Notifies clients of resources for which every attempt has failed for an hour. The notification is not repeated until
 * an attempt succeeds. Each worker learns within 15 s what the others have recorded.
 * @param options.active condition for resources that are in use
 * @param options.data data of the fact in addition to the id and `failing_since`
 */
export function watchFailing<D extends FailingFields & { readonly _id: string; readonly project_client_id: string }>(
  model: { readonly collection: object },
  options: {
    readonly resource: string;
    readonly active: Readonly<Record<string, unknown>>;
    readonly data: (document: D) => NonNullable<Fact["data"]>;
    readonly facts: Pick<PlatformFacts, "notice">;
    readonly clock: () => Date;
    readonly logger: Logger;
    /** Interval between two reads of the collection, in milliseconds. */
    readonly everyMs?: number;
  },
): FailureWatch {
  const { resource, active, data, facts, clock, logger, everyMs = lookEveryMs } = options;
  const collection = collectionOf(model);
  let known = new Set<string>();

  const tell = async (document: D, since: Date, now: Date): Promise<void> => {
    const about = { ...data(document), failing_since: since.toISOString() };
    const fact = { resource, id: document._id, state: "failing", data: about, time: since.getTime() };
    const update = withFact({ $set: { failing_told: true } }, facts.notice(document.project_client_id, fact, now));
    await collection.updateOne({ _id: document._id, failing_since: since, failing_told: { $ne: true } }, update);
  };
  const job = repeat(`watch-failing-${resource}`, everyMs, logger, async (signal) => {
    const failing = (await collection
      .find({ failing_since: { $gt: new Date(0) }, ...active })
      .toArray()) as unknown as D[];
    known = new Set(failing.map(({ _id }) => _id));
    const now = clock();
    for (const document of failing) {
      if (signal.aborted) return;
      const { failing_since: since, failing_told } = document;
      if (since === undefined || failing_told === true || now.getTime() - since.getTime() < failingMs) continue;
      await tell(document, since, now);
    }
  });
  return {
    ...job,
    note: async (id, isSuccess) => {
      if (isSuccess !== known.has(id)) return;
      if (isSuccess) known.delete(id);
      else known.add(id);
      const update = isSuccess
        ? collection.updateOne({ _id: id }, { $unset: { failing_since: "", failing_told: "" } })
        : collection.updateOne({ _id: id, failing_since: { $exists: false } }, { $set: { failing_since: clock() } });
      // An error is only logged, because the work itself is done and recorded. The next read of the collection corrects
      // this process's state.
      await update.catch((error: unknown) =>
        logger.warn({ err: error, job: job.name }, "a failure could not be recorded"),
      );
    },
  };
}
