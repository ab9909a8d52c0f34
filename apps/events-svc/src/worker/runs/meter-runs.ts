import { createCoalescer } from "@platform/kit/process/coalescer";
import type { Quota } from "@platform/quota/quota";
import type { ClientLimits } from "./client-limits.ts";

/** Decision whether a run may start. */
export type Metered =
  | { readonly is: "spent"; readonly windowEndsAtMs: number }
  | { readonly is: "exceeded"; readonly retryAfterSeconds: number }
  | { readonly is: "client_disabled" };

/**
 * Spends one unit for a run of a client. Rejects if the limit or the counter is unavailable, because a run must never
 * be executed unmetered.
 */
export type RunMeter = (clientId: string) => Promise<Metered>;

export const meteredResource = "scheduled_invocations";

/**
 * Meters all runs of one event-loop tick with one command for each client, which spends as many units as are left.
 * That many runs proceed, and the others are deferred. No client waits for another client's command.
 */
export function createRunMeter(
  quota: Quota,
  limitsOf: (clientId: string) => Promise<ClientLimits>,
  onSpent: (clientId: string, amount: number) => void = () => {},
): RunMeter {
  const spend = async (runs: number, clientId: string): Promise<Metered[]> => {
    const limits = await limitsOf(clientId);
    if (limits.isDisabled) return Array<Metered>(runs).fill({ is: "client_disabled" });
    const spent = await quota.spendUpTo(clientId, meteredResource, runs, limits.scheduledInvocations);
    const { taken, windowEndsAtMs, retryAfterSeconds } = spent;
    if (taken > 0) onSpent(clientId, taken);
    return Array.from({ length: runs }, (_, index) =>
      index < taken ? { is: "spent", windowEndsAtMs } : { is: "exceeded", retryAfterSeconds },
    );
  };
  return createCoalescer<string, Metered>(
    async (clientIds, clientId) => ({ results: await spend(clientIds.length, clientId) }),
    { itemsMax: Number.POSITIVE_INFINITY, callsMax: Number.POSITIVE_INFINITY, keyOf: (clientId) => clientId },
  );
}
