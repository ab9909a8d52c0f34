import { type BackoffRule, backoffMs } from "@platform/kit/jobs/pacing";
import { type Keyring, open, seal } from "@platform/kit/process/secrets";
import { type ServiceName, serviceNames } from "@platform/kit/rpc/server";
import { collectionOf, type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

/** The services of the first stored erasures, in which each has its index here. */
const first: readonly ServiceName[] = ["identity", "notify", "events", "files", "ads"];

/**
 * The services that take part in an erasure, which are all of them. Stored erasures refer to each by its index here. A new service is added to the end of the
 * list of services, so the others keep their indexes.
 */
export const erasingServices: readonly ServiceName[] = [
  ...first,
  ...serviceNames.filter((name) => !first.includes(name)),
];

/** The person or Project Client that an erasure is about. */
export type ErasureSubject = {
  /** The Project Client to erase; null for the erasure of a person. */
  readonly clientId: string | null;
  readonly accountId: string | null;
  /** Addresses of the person, normalized. */
  readonly emails: readonly string[];
  readonly legacySubjects: readonly { readonly clientId: string; readonly subject: string }[];
};

export type ErasureStep = {
  readonly service: ServiceName;
  /** `failed`: the service gave up after its last attempt, until an operator retries it. */
  readonly status: "pending" | "done" | "failed";
  readonly erased: number;
  readonly done_at: Date | null;
  /** Number of failed attempts since it was started or requested again. */
  readonly failures?: number;
  /** Why the last attempt failed. */
  readonly error?: string;
  /** Time of the next attempt. */
  readonly retry_at?: Date;
};

/** An erasure, without the identity of the person. */
export type Erasure = {
  readonly id: string;
  readonly kind: "person" | "client";
  readonly steps: readonly ErasureStep[];
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};

type ErasureDocument = {
  _id: string;
  kind: "person" | "client";
  /** Identity of the person, encrypted. It is removed once every service has completed its part. */
  subject_sealed?: string;
  /** Services that have yet to do their part. The field is removed together with the last of them. */
  open: ServiceName[];
  steps: ErasureStep[];
  created_at: Date;
  finished_at: Date | null;
};

const stepSchema = new Schema<ErasureStep>(
  {
    service: String,
    status: String,
    erased: Number,
    done_at: Date,
    failures: Number,
    error: String,
    retry_at: Date,
  },
  { _id: false, strict: "throw" },
);
const schema = new Schema<ErasureDocument>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true },
    subject_sealed: String,
    open: { type: [String], required: true },
    steps: { type: [stepSchema], required: true },
    created_at: { type: Date, required: true },
    finished_at: { type: Date, default: null },
  },
  { collection: "erasures", strict: "throw", versionKey: false },
);
schema.index({ open: 1, created_at: 1 });
// Index for operators' lists, newest first.
schema.index({ created_at: 1, _id: 1 });

const openMax = 100;
const failuresMax = 10;
/** Ten attempts spread over about twenty minutes, which is longer than a store is usually unavailable. */
const retryRule: BackoffRule = { baseMs: 2_000, maxMs: 600_000, jitter: 0.2 };
const errorLengthMax = 200;
/** Purpose under which the subject of an erasure is encrypted. */
export const purposeOf = (id: string): string => `erasure:${id}`;

/**
 * The path of a service's step by its index in the list. The positional operator cannot be used: with two arrays in a
 * filter, it may take the index of the other array.
 */
const stepPath = (service: ServiceName): string => `steps.${erasingServices.indexOf(service)}`;

/** Erasures, with the remaining and finished parts of the services. */
export function createErasureStore(connection: Connection) {
  const model = connection.model<ErasureDocument>("Erasure", schema);
  const giveUp = async (id: string, service: ServiceName, error: string): Promise<void> => {
    const path = stepPath(service);
    await collectionOf(model).updateOne(
      { _id: id, open: service },
      {
        $pull: { open: service },
        $set: { [`${path}.status`]: "failed", [`${path}.error`]: error },
        $unset: { [`${path}.retry_at`]: "" },
      },
    );
  };
  return {
    insert: async (id: string, subject: ErasureSubject, keyring: Keyring, now: Date): Promise<void> => {
      await collectionOf(model).insertOne({
        _id: id,
        kind: subject.clientId === null ? "person" : "client",
        subject_sealed: seal(keyring, purposeOf(id), JSON.stringify(subject)),
        open: [...erasingServices],
        steps: erasingServices.map((service) => ({ service, status: "pending" as const, erased: 0, done_at: null })),
        created_at: now,
        finished_at: null,
      });
    },
    /** Erasures for which a service has a due part, oldest first. An erasure whose key is lost is given up. */
    listOpen: async (
      service: ServiceName,
      keyring: Keyring,
      now: Date,
    ): Promise<{ id: string; subject: ErasureSubject }[]> => {
      const found = await model
        .find({ open: service })
        .sort({ created_at: 1 })
        .limit(openMax)
        .lean<ErasureDocument[]>();
      const due: { id: string; subject: ErasureSubject }[] = [];
      for (const { _id: id, subject_sealed: sealed, steps } of found) {
        const step = steps.find((each) => each.service === service);
        if (sealed === undefined || (step?.retry_at !== undefined && step.retry_at > now)) continue;
        const subject = openOrNull(keyring, id, sealed);
        if (subject === null) await giveUp(id, service, "service_key_unknown");
        else due.push({ id, subject });
      }
      return due;
    },
    /**
     * Records that a service could not complete its part. It is retried later, up to ten attempts in total. @returns
     * whether it was given up
     */
    failStep: async (id: string, service: ServiceName, error: string, now: Date): Promise<boolean> => {
      const document = await model.findOne({ _id: id, open: service }).lean<ErasureDocument | null>();
      if (document === null) return false;
      const failures = (document.steps.find((step) => step.service === service)?.failures ?? 0) + 1;
      const reason = error.slice(0, errorLengthMax);
      if (failures >= failuresMax) {
        await giveUp(id, service, reason);
        return true;
      }
      const retryAt = new Date(now.getTime() + backoffMs(retryRule, failures));
      const path = stepPath(service);
      await collectionOf(model).updateOne(
        { _id: id, open: service },
        {
          $set: { [`${path}.failures`]: failures, [`${path}.error`]: reason, [`${path}.retry_at`]: retryAt },
        },
      );
      return false;
    },
    /** Makes the parts that were given up due immediately. @returns whether there were any */
    retry: async (id: string): Promise<boolean> => {
      const document = await model.findOne({ _id: id }).lean<ErasureDocument | null>();
      let isAny = false;
      for (const { service, erased, status } of document?.steps ?? []) {
        if (status !== "failed") continue;
        isAny = true;
        await collectionOf(model).updateOne(
          { _id: id, [`${stepPath(service)}.status`]: "failed" },
          {
            $addToSet: { open: service },
            $set: { [stepPath(service)]: { service, status: "pending", erased, done_at: null } },
          },
        );
      }
      return isAny;
    },
    /**
     * Records that a service has done its part. For the last part, one write records the part, ends the erasure and removes the identity of the
     * person, so a crash leaves no erasure that never ends. Repeating the call changes nothing.
     */
    finishStep: async (id: string, service: ServiceName, erased: number, now: Date): Promise<void> => {
      const step = { [stepPath(service)]: { service, status: "done", erased, done_at: now } };
      const asLast = { $set: { ...step, open: [], finished_at: now }, $unset: { subject_sealed: "" } };
      const asOneOfSeveral = { $set: step, $pull: { open: service } };
      // A part that was given up still has to be completed.
      const isNotLast = { $or: [{ "open.1": { $exists: true } }, { "steps.status": "failed" }] };
      const write = async (condition: object, update: object): Promise<boolean> =>
        (await collectionOf(model).updateOne({ _id: id, ...condition }, update)).matchedCount > 0;
      // Between the two conditions, another service's part may end, so that this part has become the last one.
      while (await model.exists({ _id: id, open: service })) {
        if (await write({ open: [service], "steps.status": { $ne: "failed" } }, asLast)) return;
        if (await write({ open: service, ...isNotLast }, asOneOfSeveral)) return;
      }
    },
    find: async (id: string): Promise<Erasure | null> => {
      const document = await model.findOne({ _id: id }).lean<ErasureDocument>();
      if (document === null) return null;
      return fromDocument(document);
    },
    /** A page, newest first. There are few erasures, so a status has no index of its own. */
    list: async (status: ErasureStatus | null, request: PageRequest): Promise<Page<Erasure>> => {
      const filter = status === null ? {} : statusFilters[status];
      const { items, nextCursor } = await readPage<ErasureDocument>(model, filter, request);
      return { items: items.map(fromDocument), nextCursor };
    },
  };
}

function openOrNull(keyring: Keyring, id: string, sealed: string): ErasureSubject | null {
  try {
    return JSON.parse(open(keyring, purposeOf(id), sealed)) as ErasureSubject;
  } catch {
    return null;
  }
}

function fromDocument({ _id, kind, steps, created_at, finished_at }: ErasureDocument): Erasure {
  return { id: _id, kind, steps, createdAt: created_at, finishedAt: finished_at };
}

export const erasureStatuses = ["pending", "running", "done", "failed"] as const;
export type ErasureStatus = (typeof erasureStatuses)[number];

/** `statusOf` as conditions on documents. */
const statusFilters: Readonly<Record<ErasureStatus, Readonly<Record<string, unknown>>>> = {
  pending: { finished_at: null, "steps.status": { $nin: ["failed", "done"] } },
  running: { finished_at: null, "steps.status": { $eq: "done", $ne: "failed" } },
  done: { finished_at: { $ne: null } },
  failed: { finished_at: null, "steps.status": "failed" },
};

/** Overall status of an erasure. */
export function statusOf({ steps, finishedAt }: Erasure): ErasureStatus {
  if (finishedAt !== null) return "done";
  if (steps.some(({ status }) => status === "failed")) return "failed";
  return steps.some(({ status }) => status === "done") ? "running" : "pending";
}
