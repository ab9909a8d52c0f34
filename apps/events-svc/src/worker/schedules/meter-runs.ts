import type { Quota } from "@platform/quota/quota";
import type { ClientLimits } from "./client-limits.ts";

/** Whether a run may be made, and what was spent for it. */
export type Metered =
  | { readonly is: "spent"; readonly windowEndsAtMs: number }
  | { readonly is: "exceeded"; readonly retryAfterSeconds: number }
  | { readonly is: "client_disabled" };

/** Spends one unit for a run of a client. Rejects without the limit or the counter, because no run is unmetered. */
export type RunMeter = (clientId: string) => Promise<Metered>;

export const meteredResource = "scheduled_invocations";

type Waiting = { resolve(metered: Metered): void; reject(error: unknown): void };

/**
 * Meters the runs of one event-loop tick by one command for each client, which spends as many units as fit: so many runs proceed, the others are
 * deferred. No client waits for another's command.
 */
export function createRunMeter(
  quota: Quota,
  limitsOf: (clientId: string) => Promise<ClientLimits>,
  onSpent: (clientId: string, amount: number) => void = () => {},
): RunMeter {
  const waiting = new Map<string, Waiting[]>();

  const spend = async (clientId: string, runs: readonly Waiting[]): Promise<void> => {
    try {
      const limits = await limitsOf(clientId);
      if (limits.isDisabled) {
        for (const { resolve } of runs) resolve({ is: "client_disabled" });
        return;
      }
      const spent = await quota.spendUpTo(clientId, meteredResource, runs.length, limits.scheduledInvocations);
      const { windowEndsAtMs, retryAfterSeconds } = spent;
      if (spent.taken > 0) onSpent(clientId, spent.taken);
      for (const [index, { resolve }] of runs.entries()) {
        resolve(index < spent.taken ? { is: "spent", windowEndsAtMs } : { is: "exceeded", retryAfterSeconds });
      }
    } catch (error) {
      for (const { reject } of runs) reject(error);
    }
  };
  const flush = (): void => {
    const clients = [...waiting];
    waiting.clear();
    for (const [clientId, runs] of clients) void spend(clientId, runs);
  };
  return (clientId) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setImmediate(flush);
      const runs = waiting.get(clientId) ?? [];
      runs.push({ resolve, reject });
      waiting.set(clientId, runs);
    });
}
