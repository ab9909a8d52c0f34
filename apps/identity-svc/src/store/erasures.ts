import { type Keyring, open, seal } from "@platform/service-kit/secrets/sealed";
import { type Connection, Schema } from "mongoose";

/** The services that have a part in an erasure. */
export const erasingServices = ["identity", "notify", "events", "files", "ads"] as const;
export type ErasingService = (typeof erasingServices)[number];

/** Whom an erasure is of. */
export type ErasureSubject = {
  /** For the erasure of a Project Client. */
  readonly clientId: string | null;
  readonly accountId: string | null;
  /** Normalized. */
  readonly emails: readonly string[];
  readonly legacySubjects: readonly { readonly clientId: string; readonly subject: string }[];
};

export type ErasureStep = {
  readonly service: ErasingService;
  readonly status: "pending" | "done";
  readonly erased: number;
  readonly done_at: Date | null;
};

/** An erasure without the subject's identity. */
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
  /** Who it is, sealed; gone once every service has done its part. */
  subject_sealed?: string;
  /** Services that have yet to do their part; gone with the last. */
  open: ErasingService[];
  steps: ErasureStep[];
  created_at: Date;
  finished_at: Date | null;
};

const stepSchema = new Schema<ErasureStep>(
  { service: String, status: String, erased: Number, done_at: Date },
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

const openMax = 100;
/** What the subject of an erasure is sealed for. */
export const purposeOf = (id: string): string => `erasure:${id}`;

/** Erasures, with the remaining and finished parts of the services. */
export function createErasureStore(connection: Connection) {
  const model = connection.model<ErasureDocument>("Erasure", schema);
  return {
    insert: async (id: string, subject: ErasureSubject, keyring: Keyring, now: Date): Promise<void> => {
      await model.collection.insertOne({
        _id: id as never,
        kind: subject.clientId === null ? "person" : "client",
        subject_sealed: seal(keyring, purposeOf(id), JSON.stringify(subject)),
        open: [...erasingServices],
        steps: erasingServices.map((service) => ({ service, status: "pending" as const, erased: 0, done_at: null })),
        created_at: now,
        finished_at: null,
      });
    },
    /** Erasures a service has yet to do its part of, the oldest first. */
    listOpen: async (service: ErasingService, keyring: Keyring): Promise<{ id: string; subject: ErasureSubject }[]> => {
      const found = await model
        .find({ open: service })
        .sort({ created_at: 1 })
        .limit(openMax)
        .lean<ErasureDocument[]>();
      return found.flatMap(({ _id, subject_sealed: sealed }) =>
        sealed === undefined
          ? []
          : [{ id: _id, subject: JSON.parse(open(keyring, purposeOf(_id), sealed)) as ErasureSubject }],
      );
    },
    /**
     * Notes that a service has done its part. The last part, the end, and forgetting whom it was of are one write: a crash leaves no
     * erasure that is over but never ends. Repeating it changes nothing.
     */
    finishStep: async (id: string, service: ErasingService, erased: number, now: Date): Promise<void> => {
      // Its place in the list, which never changes: of a filter with two arrays the positional operator may take the other one's.
      const step = { [`steps.${erasingServices.indexOf(service)}`]: { service, status: "done", erased, done_at: now } };
      const asLast = { $set: { ...step, open: [], finished_at: now }, $unset: { subject_sealed: "" } };
      const asOneOfSeveral = { $set: step, $pull: { open: service } };
      const write = async (condition: object, update: object): Promise<boolean> =>
        (await model.collection.updateOne({ _id: id, ...condition } as never, update as never)).matchedCount > 0;
      // Between the two conditions another service's part may end, so that this one's has become the last.
      while (await model.exists({ _id: id, open: service })) {
        if (await write({ open: [service] }, asLast)) return;
        if (await write({ open: service, "open.1": { $exists: true } }, asOneOfSeveral)) return;
      }
    },
    find: async (id: string): Promise<Erasure | null> => {
      const document = await model.findOne({ _id: id }).lean<ErasureDocument>();
      if (document === null) return null;
      const { kind, steps, created_at: createdAt, finished_at: finishedAt } = document;
      return { id, kind, steps, createdAt, finishedAt };
    },
  };
}
