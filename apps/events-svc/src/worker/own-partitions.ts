import { randomUUID } from "node:crypto";
import { startPollLoop } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import { partitionCount, partitionOf } from "../domain/partition.ts";
import type { LeaseModel } from "../store/lease-model.ts";
import {
  type ClaimedPartition,
  countWorkers,
  createPartitionQueue,
  leaveWorkers,
  makePartitions,
  type PartitionModel,
} from "../store/partition-leases.ts";

/** The partitions of Project Clients that this worker holds. */
export type OwnPartitions = {
  /** The partitions that this worker certainly holds now, each with its fencing token. */
  held(): ReadonlyMap<number, number>;
  /** Returns whether this worker certainly holds the partition of a Project Client now. */
  holds(clientId: string): boolean;
  /**
   * Resolves after the first attempt to claim partitions, whether or not it succeeded. Until then, no partition is
   * held.
   */
  readonly shared: Promise<void>;
  /** Registers a callback that is called when this worker gains partitions. */
  onGained(gained: () => void): void;
  stop(): Promise<void>;
};

const leaseMs = 1_200;
const renewEveryMs = 300;
const forgetWorkersAfterMs = 3_600_000;

/**
 * Shares the partitions among the workers. Each worker announces itself and holds at most its equal share. A worker
 * that stops releases its partitions immediately; the partitions of a killed worker are claimed by others once its
 * leases expire.
 */
export function startOwnPartitions(
  models: { readonly partitions: PartitionModel; readonly leases: LeaseModel },
  { clock, logger }: { readonly clock: () => Date; readonly logger: Logger },
): OwnPartitions {
  const owner = randomUUID();
  const queue = createPartitionQueue(models.partitions, owner, clock, leaseMs);
  const claims = new Map<number, ClaimedPartition>();
  const listeners: (() => void)[] = [];

  /** Releases a partition. Does nothing if another worker has claimed it in the meantime. */
  const release = async ([partition, claim]: readonly [number, ClaimedPartition]): Promise<void> => {
    // The claim is removed first, so that this worker starts nothing more for the partition before another worker can
    // claim it.
    claims.delete(partition);
    // If the release fails, the lease is no longer renewed and ends by itself.
    queue.leave(claim);
    await queue.putOff(claim, clock());
  };
  /**
   * Releases partitions that this worker no longer certainly holds. Otherwise those that nobody else has claimed
   * would be idle until their leases expire.
   */
  const releaseUncertain = async (): Promise<void> => {
    for (const entry of [...claims]) if (!queue.isHeld(entry[1])) await release(entry);
  };
  const share = async (signal: AbortSignal): Promise<void> => {
    await queue.renewAll();
    await releaseUncertain();
    const now = clock();
    const workers = await countWorkers(models.leases, owner, now, new Date(now.getTime() + leaseMs));
    const most = Math.ceil(partitionCount / Math.max(1, workers));
    for (const excess of [...claims].slice(most)) await release(excess);
    const before = claims.size;
    while (claims.size < most && !signal.aborted) {
      const claim = await queue.claimNext();
      if (claim === null) break;
      claims.set(claim.document._id, claim);
    }
    if (claims.size > before) for (const gained of listeners) gained();
  };
  const { promise: shared, resolve: markShared } = Promise.withResolvers<void>();
  let arePartitionsCreated = false;
  const loop = startPollLoop({
    round: async (signal) => {
      if (!arePartitionsCreated) await makePartitions(models.partitions);
      arePartitionsCreated = true;
      await share(signal);
      markShared();
      return renewEveryMs;
    },
    failed: (error) => {
      logger.warn({ err: error, job: "own-partitions" }, "the leases of partitions could not be renewed");
      markShared();
      return renewEveryMs;
    },
  });
  const held = (): ReadonlyMap<number, number> =>
    new Map(
      [...claims]
        .filter(([, claim]) => queue.isHeld(claim))
        .map(([partition, { document }]) => [partition, document.fence]),
    );
  return {
    held,
    holds: (clientId) => held().has(partitionOf(clientId)),
    shared,
    onGained: (gained) => void listeners.push(gained),
    stop: async () => {
      await loop.stop();
      await Promise.all([...claims].map(release));
      await leaveWorkers(models.leases, owner, new Date(clock().getTime() - forgetWorkersAfterMs));
    },
  };
}
