import type { CheckResult } from "@platform/kit/process/telemetry";
import { discoverProvider, providerMsMax } from "./provider-discovery.ts";

/**
 * Minimum time between two readings of the provider, in milliseconds: after a successful reading, and after a failed
 * one.
 */
const everyMs = 30_000;
const failedMs = 5_000;

/**
 * Health check of the operators' identity provider: true while its configuration and keys can be read, otherwise the
 * reason. If they cannot be read, nobody can sign in, and without this check the first person to try would be the
 * first to notice. It returns the last result immediately and starts the next reading.
 */
export function createProviderCheck(issuer: string): () => CheckResult {
  let result: CheckResult = true;
  let isReading = false;
  let dueAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<CheckResult> => {
    try {
      const { jwks_uri } = await discoverProvider(issuer);
      const response = await fetch(jwks_uri, { redirect: "error", signal: AbortSignal.timeout(providerMsMax) });
      if (!response.ok) return `the keys were answered with ${response.status}`;
      const { keys } = (await response.json()) as { keys?: unknown };
      return Array.isArray(keys) || "the keys are no key set";
    } catch (error) {
      return (error as Error).message;
    }
  };
  return () => {
    if (!isReading && performance.now() >= dueAtMs) {
      isReading = true;
      void read().then((found) => {
        result = found;
        isReading = false;
        dueAtMs = performance.now() + (found === true ? everyMs : failedMs);
      });
    }
    return result;
  };
}
