import { eventually } from "@platform/test-kit/eventually";
import { type Document, MongoClient } from "mongodb";
import { freshCopy } from "./raw-writes-load.ts";
import { type LoadSample, rateOf } from "./sample.ts";

/** Fills a collection with copies of a document in it. */
export type FillLoad = {
  readonly uri: string;
  readonly database: string;
  readonly collection: string;
  /** Filter of the document to copy, which is awaited. */
  readonly original: Readonly<Record<string, unknown>>;
  readonly count: number;
  /** Ids of the copies; by default each gets one of its own. */
  readonly ids?: readonly string[];
  /** Project Clients that own the copies, round robin; by default the owner of the original. */
  readonly owners?: readonly string[];
  /** Fields of every so many copies. */
  readonly variant?: { readonly every: number; readonly fields: Readonly<Record<string, unknown>> };
};

const batchLength = 1_000;
/** The copies' times lie in this period before the original's, evenly. */
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

/** Far above the numbers that the platform gives, and far from 2^53. */
const firstNumber = 1_000_000_000_000;

/** The copy at a place in the order, oldest first. */
export function copyOf(
  { count, ids, owners, variant }: Pick<FillLoad, "count" | "ids" | "owners" | "variant">,
  original: Document,
  unique: ReadonlySet<string>,
  at: number,
): Document {
  const copy = freshCopy(original, unique, firstNumber + at);
  const id = ids?.[at];
  if (id !== undefined) copy._id = id as unknown as Document["_id"];
  if (owners !== undefined) copy.project_client_id = owners[at % owners.length];
  if (variant !== undefined && at % variant.every === 0) Object.assign(copy, variant.fields);
  const agoMs = Math.floor((1 - at / count) * spreadMs);
  for (const [field, value] of Object.entries(copy))
    if (value instanceof Date) copy[field] = new Date(value.getTime() - agoMs);
  return copy;
}
