import { eventually } from "@platform/test-kit/eventually";
import { type Document, MongoClient } from "mongodb";
import { freshCopy } from "./raw-writes-load.ts";
import { type LoadSample, rateOf } from "./sample.ts";

/** Fills a collection with copies of one of its documents. */
export type FillLoad = {
  readonly uri: string;
  readonly database: string;
  readonly collection: string;
  /** Filter of the document to copy. The load waits until it exists. */
  readonly original: Readonly<Record<string, unknown>>;
  readonly count: number;
  /** Ids of the copies; by default each copy gets a new one. */
  readonly ids?: readonly string[];
  /** Project Clients that own the copies, round robin; by default the owner of the original document. */
  readonly owners?: readonly string[];
  /** Fields to change in every nth copy. If a copy has several variants, the later ones decide. */
  readonly variants?: readonly { readonly every: number; readonly fields: Readonly<Record<string, unknown>> }[];
};

const batchLength = 1_000;
/** The times of the copies are spread evenly over this period before the time of the original. */
const spreadMs = 13 * 86_400_000;

export async function runFillLoad(load: FillLoad): Promise<LoadSample> {
  const startedAtMs = performance.now();
  const client = await MongoClient.connect(load.uri);
  try {
    const collection = client.db(load.database).collection(load.collection);
    const original = await eventually(() => collection.findOne(load.original), {
      what: `${load.database}.${load.collection} has a document to copy`,
    });
    const unique = new Set(
      (await collection.indexes()).flatMap((index) => (index.unique === true ? Object.keys(index.key) : [])),
    );
    for (let from = 0; from < load.count; from += batchLength) {
      const length = Math.min(batchLength, load.count - from);
      const copies = Array.from({ length }, (_, index) => copyOf(load, original, unique, from + index));
      await collection.insertMany(copies, { ordered: false });
    }
    return rateOf(load.count, performance.now() - startedAtMs);
  } finally {
    await client.close();
  }
}

/** Far larger than the numbers that the platform assigns, and far below 2^53. */
const firstNumber = 1_000_000_000_000;

/** Creates the nth copy. The copies are in order of time, oldest first. */
export function copyOf(
  { count, ids, owners, variants = [] }: Pick<FillLoad, "count" | "ids" | "owners" | "variants">,
  original: Document,
  unique: ReadonlySet<string>,
  at: number,
): Document {
  const copy = freshCopy(original, unique, firstNumber + at);
  const id = ids?.[at];
  if (id !== undefined) copy._id = id as unknown as Document["_id"];
  if (owners !== undefined) copy.project_client_id = owners[at % owners.length];
  for (const { every, fields } of variants) if (at % every === 0) Object.assign(copy, fields);
  const agoMs = Math.floor((1 - at / count) * spreadMs);
  for (const [field, value] of Object.entries(copy))
    if (value instanceof Date) copy[field] = new Date(value.getTime() - agoMs);
  return copy;
}
