import { type BackupStore, manifestName } from "./backup-store.ts";

/** A backup in a folder named by its time. */
export type SeriesEntry = { readonly folder: string; readonly isFinished: boolean };

/** A backup that is not finished after this time never will be: its process is gone. */
const unfinishedMsMax = 24 * 3_600_000;
/** Only folders named like this are backups of a series; whatever else is at the place stays. */
const named = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}Z$/;

export const seriesFolder = (at: Date): string => at.toISOString().replaceAll(":", "-");
const timeOf = (folder: string): number => Date.parse(folder.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:"));

/** The backups of a series, oldest first. */
export async function listSeries(store: BackupStore): Promise<SeriesEntry[]> {
  const paths = await store.list("");
  const folders = new Set(
    paths.flatMap((path) => path.split("/").slice(0, -1).slice(0, 1)).filter((one) => named.test(one)),
  );
  return [...folders].sort().map((folder) => ({ folder, isFinished: paths.includes(`${folder}/${manifestName}`) }));
}

/**
 * Removes finished backups but the newest `keep`, and unfinished ones of a day ago. A finished one ceases to be one first, so that nobody takes half of
 * it for whole.
 * @returns the folders removed
 */
export async function pruneSeries(store: BackupStore, keep: number, now: Date): Promise<string[]> {
  const all = await listSeries(store);
  const finished = all.filter(({ isFinished }) => isFinished);
  const surplus = new Set(finished.slice(0, Math.max(0, finished.length - keep)));
  const isOver = (one: SeriesEntry): boolean =>
    one.isFinished ? surplus.has(one) : now.getTime() - timeOf(one.folder) > unfinishedMsMax;
  const removed: string[] = [];
  for (const { folder } of all.filter(isOver)) {
    const manifest = `${folder}/${manifestName}`;
    const rest = (await store.list(folder)).filter((path) => path !== manifest);
    for (const path of [manifest, ...rest]) await store.remove(path);
    removed.push(folder);
  }
  return removed;
}
