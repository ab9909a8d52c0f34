import type { CheckResult } from "@platform/kit/process/telemetry";
import { discoverProvider, providerMsMax } from "./provider-discovery.ts";

/** Least time between two readings of the provider, while it can be read and while it cannot, in milliseconds. */
const everyMs = 30_000;
const failedMs = 5_000;

/**
 * Health check of the operators' identity provider: true while its configuration and keys can be read, else the reason. People whose provider cannot
 * be read do not sign in, and the first of them would be the first to know. It responds immediately with the last reading and begins the next one.
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
