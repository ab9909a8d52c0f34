import type { ClaimedDelivery, DeliveryQueue } from "../store/delivery-queue.ts";

/**
 * The deliveries a worker has claimed and not finished, and whether its lease of each is known to be running. The clock goes on while the
 * process is stopped, so a worker that was paused past its leases knows of it before it does anything else.
 */
export function createHeldDeliveries(queue: Pick<DeliveryQueue, "renew">, clock: () => Date, leaseMs: number) {
  const held = new Set<ClaimedDelivery>();
  return {
    add: (claimed: ClaimedDelivery) => held.add(claimed),
    remove: (claimed: ClaimedDelivery) => held.delete(claimed),
    /** Is it surely this worker's still? Once it is not, another worker may be sending it. */
    isHeld: ({ lease }: ClaimedDelivery): boolean => clock() < lease.until,
    renew: async (): Promise<void> => {
      const asked = [...held];
      const until = new Date(clock().getTime() + leaseMs);
      const matched = await queue.renew(asked, until);
      const answeredAt = clock();
      // One that ran out before the answer may have been lost before the write: then only a write that found them all says it was not.
      for (const { lease } of asked) if (matched === asked.length || answeredAt < lease.until) lease.until = until;
    },
  };
}
