import type { Logger } from "@platform/kit/process/telemetry";
import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { providerMsMax } from "./provider-discovery.ts";

/** Minimum time between two look-ups of an unknown key, in milliseconds. */
const cooldownMs = 5_000;

/**
 * The provider's signing keys. While they cannot be read, the last valid ones are used. A key that is not among them
 * may be new, so its token is not reported as invalid; the provider is reported as unavailable instead.
 */
export function createProviderKeys(url: URL, logger: Logger): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(url, { timeoutDuration: providerMsMax, cooldownDuration: cooldownMs });
  const unreadable = (error: unknown): void =>
    logger.warn({ err: error, component: "operator-sign-in" }, "the identity provider's keys cannot be read");
  return async (header, token) => {
    const wasCoolingDown = remote.coolingDown;
    try {
      return await remote(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) {
        // The key may have been added since the last look-up, and the next look-up is not due yet.
        if (wasCoolingDown) throw dependencyUnavailable(error);
        throw error;
      }
      if (error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JOSENotSupported) throw error;
      unreadable(error);
      const known = remote.jwks();
      if (known === undefined) throw dependencyUnavailable(error);
      return createLocalJWKSet(known)(header, token).catch(() => {
        throw dependencyUnavailable(error);
      });
    }
  };
}
