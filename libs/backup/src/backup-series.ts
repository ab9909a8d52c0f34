import { text } from "node:stream/consumers";
import { z } from "zod";
import { type BackupStore, manifestName } from "./backup-store.ts";

/** A backup in a folder whose name is the time of the backup. */
export type SeriesEntry = { readonly folder: string; readonly isFinished: boolean };

/** If a backup is not finished within this time, it never will be, because its process has ended. */
const unfinishedMsMax = 24 * 3_600_000;
/** Only folders with such names are backups of a series; all other files are left alone. */
const named = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}Z$/;

export const seriesFolder = (at: Date): string => at.toISOString().replaceAll(":", "-");
const timeOf = (folder: string): number => Date.parse(folder.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:"));

/** Lists the backups of a series, oldest first. */
export async function listSeries(store: BackupStore): Promise<SeriesEntry[]> {
  const paths = await store.list("");
  const folders = new Set(
    paths.flatMap((path) => path.split("/").slice(0, -1).slice(0, 1)).filter((one) => named.test(one)),
  );
  return [...folders].sort().map((folder) => ({ folder, isFinished: paths.includes(`${folder}/${manifestName}`) }));
}

/**
 * Removes all finished backups except the newest `keep`, and unfinished ones that are older than a day. A finished
 * backup is marked as unfinished before its files are deleted, so that a partly removed backup never looks complete.
 * @returns the removed folders
 * @throws if the newest backup contains less than half as many documents as another one, because backups of an empty or
 * wrong database must not replace good ones
 */
export async function pruneSeries(store: BackupStore, keep: number, now: Date): Promise<string[]> {
  const all = await listSeries(store);
  const finished = all.filter(({ isFinished }) => isFinished);
  const surplus = new Set(finished.slice(0, Math.max(0, finished.length - keep)));
  const isOver = (one: SeriesEntry): boolean =>
    one.isFinished ? surplus.has(one) : now.getTime() - timeOf(one.folder) > unfinishedMsMax;
  if (surplus.size > 0) await refuseShrunk(store, finished);
  const removed: string[] = [];
  for (const { folder } of all.filter(isOver)) {
    const manifest = `${folder}/${manifestName}`;
    const rest = (await store.list(folder)).filter((path) => path !== manifest);
    for (const path of [manifest, ...rest]) await store.remove(path);
    removed.push(folder);
  }
  return removed;
}

const manifestSchema = z.object({ collections: z.record(z.string(), z.object({ documents: z.number() })) });

async function refuseShrunk(store: BackupStore, finished: readonly SeriesEntry[]): Promise<void> {
  const sizes: { folder: string; documents: number }[] = [];
  for (const { folder } of finished) {
    const { collections } = manifestSchema.parse(JSON.parse(await text(await store.read(`${folder}/${manifestName}`))));
    const documents = Object.values(collections).reduce((sum, one) => sum + one.documents, 0);
    sizes.push({ folder, documents });
  }
  const newest = sizes.at(-1);
  const largest = sizes.toSorted((a, b) => b.documents - a.documents)[0];
  if (newest === undefined || largest === undefined || newest.documents * 2 >= largest.documents) return;
  throw new Error(
    `the newest backup holds ${newest.documents} documents and ${largest.folder} ${largest.documents}, so no backup is removed; ` +
      "see that MONGODB_URI and MONGODB_DATABASE are right, or remove the larger backups by hand",
  );
}
