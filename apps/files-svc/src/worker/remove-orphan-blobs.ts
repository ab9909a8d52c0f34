import type { Sweep } from "@platform/kit/jobs/work";
import type { Logger } from "@platform/kit/process/telemetry";
import { ownerOfBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { BucketOwnership, StopReason } from "../store/bucket-ownership.ts";
import type { BytesRecords } from "../store/bytes-records.ts";
import type { OrphanCandidates } from "../store/orphan-candidates.ts";

/**
 * Minimum age of orphans, in milliseconds. Younger bytes may belong to an upload in progress; the longest upload
 * takes two hours.
 */
const orphanAgeMs = 24 * 3_600_000;
const pageSize = 1_000;
/** A sweep removes nothing if it finds more orphans than this number and more than this share of all objects. */
const orphansMax = 1_000;
const orphansPartMax = 0.01;

export type OrphanSweepOptions = {
  readonly blobs: Pick<BlobStore, "list" | "delete" | "removeUnfinished">;
  readonly records: BytesRecords;
  readonly ownership: Pick<BucketOwnership, "renew" | "state">;
  readonly candidates: OrphanCandidates;
  readonly sweep: Sweep;
  /** How long orphans wait before they are removed, in milliseconds. */
  readonly graceMs: number;
  /** False in the first hour of a process, in which it only records what it finds. */
  readonly mayRemove: boolean;
  readonly process: string;
  readonly clock: () => Date;
  readonly logger: Logger;
};

export type OrphanSweepResult = {
  readonly stopped: StopReason | null;
  readonly orphans: number;
  readonly removed: number;
};

/**
 * Removes bytes to which no record refers. Ordinary deletions remove bytes by their key; this sweep finds bytes that
 * were left behind by a crash. Orphans are recorded first. A sweep at least `graceMs` later removes those that it
 * still finds. Too many orphans indicate that the database is wrong, and stop the sweep. The caller has verified that
 * the bucket belongs to the database, and holds the lease.
 * @returns null if the sweep was aborted, because the process stops or has lost the lease
 */
export async function removeOrphanBlobs(
  options: OrphanSweepOptions,
  signal: AbortSignal,
): Promise<OrphanSweepResult | null> {
  const { ownership, candidates, clock, logger, graceMs, mayRemove } = options;
  const sweepAt = clock();
  const before = new Date(sweepAt.getTime() - orphanAgeMs);
  if (mayRemove) await removeUnfinished(options, before);
  const objects = await noteOrphans(options, sweepAt, before, signal);
  if (objects === null) return null;
  await candidates.forgetUnseen(sweepAt);
  const orphans = await candidates.count(sweepAt);
  const { accepted } = await ownership.state();
  const most = Math.max(orphansMax, Math.floor(objects * orphansPartMax), accepted);
  if (orphans > most) {
    logger.error({ job: "remove-orphan-blobs", count: orphans, reason: "too_many_orphans" }, "nothing is removed");
    return { stopped: "too_many_orphans", orphans, removed: 0 };
  }
  if (!mayRemove) return { stopped: null, orphans, removed: 0 };
  const removed = await removeDue(options, sweepAt, new Date(sweepAt.getTime() - graceMs), signal);
  return removed === null ? null : { stopped: null, orphans, removed };
}

/** Removes the remains of unfinished uploads. A failure of this part does not stop the rest of the sweep. */
async function removeUnfinished({ blobs, logger }: OrphanSweepOptions, before: Date): Promise<void> {
  const failed = (error: unknown): void =>
    logger.warn({ err: error, job: "remove-orphan-blobs" }, "an unfinished upload could not be removed");
  const count = await blobs.removeUnfinished(before, failed).catch((error: unknown) => {
    failed(error);
    return 0;
  });
  if (count > 0) logger.info({ job: "remove-orphan-blobs", count }, "unfinished uploads were removed");
}

/** Records the orphans. @returns the number of objects in the bucket; null if the sweep was aborted */
async function noteOrphans(
  { blobs, records, ownership, candidates, process, clock }: OrphanSweepOptions,
  sweepAt: Date,
  before: Date,
  signal: AbortSignal,
): Promise<number | null> {
  let objects = 0;
  let page: string[] = [];
  const notePage = async (): Promise<boolean> => {
    const uses = await records.usesOf(page);
    const orphans = page.flatMap((key) => {
      const use = uses.get(key);
      return use === "needed" || use === undefined ? [] : [{ key, isReleased: use === "released" }];
    });
    await candidates.note(orphans, sweepAt);
    page = [];
    return !signal.aborted && (await ownership.renew(process, clock()));
  };
  for await (const { key, storedAt } of blobs.list()) {
    if (ownerOfBlobKey(key) === null) continue;
    objects += 1;
    if (storedAt >= before) continue;
    page.push(key);
    if (page.length === pageSize && !(await notePage())) return null;
  }
  return (await notePage()) ? objects : null;
}

/**
 * Removes the orphans that have waited long enough, after checking once more that no record needs them.
 * @returns how many were removed; null if the sweep was aborted
 */
async function removeDue(
  { blobs, records, ownership, candidates, sweep, process, clock }: OrphanSweepOptions,
  sweepAt: Date,
  foundBefore: Date,
  signal: AbortSignal,
): Promise<number | null> {
  const run = await sweep.begin(signal);
  let removed = 0;
  for (let afterKey = ""; ; ) {
    const keys = await candidates.listDue(sweepAt, foundBefore, afterKey, pageSize);
    const uses = await records.usesOf(keys);
    for (const key of keys) {
      if (!run.goesOn()) return signal.aborted ? null : removed;
      if (uses.get(key) === "needed") continue;
      const isRemoved = await run.attempt(key, async () => {
        await blobs.delete(key, null);
        await candidates.forget(key);
      });
      if (isRemoved) removed += 1;
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < pageSize) break;
    if (!(await ownership.renew(process, clock()))) return null;
    afterKey = last;
  }
  await run.end();
  return removed;
}
