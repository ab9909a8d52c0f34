import { randomBytes, randomUUID } from "node:crypto";
import type { Collection, Document } from "mongodb";

const batch = 2_000;

/** Creates a UUIDv7 for a given time. The platform's ids are UUIDv7, so they sort by their time of creation. */
export function idAt(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  const random = randomBytes(9).toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`;
}

/** Copies a stored document with unique keys of its own: a new id, idempotency key and hashes. */
function copyOf(document: Document, atMs: number): Document {
  const copy: Document = { ...document, _id: idAt(atMs) };
  for (const [name, value] of Object.entries(document)) {
    if (name === "idempotency_key") copy[name] = randomUUID();
    else if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) copy[name] = randomBytes(32).toString("hex");
  }
  if (document.created_at instanceof Date) copy.created_at = new Date(atMs);
  return copy;
}

/**
 * Adds copies of a document that a service wrote, so that a test need not wait for the services to create many.
 * @param change returns the fields in which the nth copy differs, given its time
 */
export async function storeCopies(
  collection: Collection<Document>,
  filter: Document,
  count: number,
  change: (copy: Document, n: number) => Document,
  atMsOf: (n: number) => number = () => Date.now(),
): Promise<Document[]> {
  const template = await collection.findOne(filter);
  if (template === null) throw new Error(`${collection.collectionName} has no such document to copy`);
  const all: Document[] = [];
  for (let from = 0; from < count; from += batch) {
    const copies = Array.from({ length: Math.min(batch, count - from) }, (_, at) =>
      change(copyOf(template, atMsOf(from + at)), from + at),
    );
    await collection.insertMany(copies, { ordered: false });
    all.push(...copies);
  }
  return all;
}
