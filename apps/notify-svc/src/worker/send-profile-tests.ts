import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import { type Outcome, providerStatusOf } from "../domain/delivery.ts";
import type { ProfileTest } from "../store/profile-tests.ts";
import type { WorkerDeps } from "./worker-deps.ts";

/**
 * Age at which tests are removed, in milliseconds. The server waits half a minute for a result, so older tests were
 * left behind by an interrupted server.
 */
const keptMs = 10 * 60_000;
const content = {
  subject: "Test message",
  text: "This is a test of the sender profile. No action is needed.",
  html: null,
  push: null,
};

/** Sends the operators' test messages. The server may not connect to providers, so a worker does it. */
export function startProfileTests(deps: WorkerDeps, everyMs: number): RepeatedJob {
  const { stores, clock, logger } = deps;
  return repeat("send-profile-tests", everyMs, logger, async (signal) => {
    for (let test = await stores.profileTests.claim(); test !== null; test = await stores.profileTests.claim()) {
      const outcome = await send(deps, test, signal);
      const accepted = outcome.kind === "accepted";
      const detail = accepted ? providerStatusOf(outcome) : outcome.errorCode;
      await stores.profileTests.settle(test.id, { accepted, detail });
    }
    await stores.profileTests.removeOlderThan(new Date(clock().getTime() - keptMs));
  });
}

async function send(deps: WorkerDeps, test: ProfileTest, signal: AbortSignal): Promise<Outcome> {
  // The profile is decrypted again instead of being taken from the cache, so that the test uses a configuration that
  // has just been replaced.
  const profile = await deps.stores.senderProfiles.openConfig(test.projectClientId, test.senderProfileId);
  if (profile === null) return { kind: "rejected", errorCode: "sender_profile_not_found" };
  const { key, config } = profile.current;
  const request = {
    deliveryId: test.id,
    projectClientId: test.projectClientId,
    endpointId: null,
    attempt: 1,
    address: test.to,
    environment: await deps.stores.endpoints.environmentOf(test.projectClientId),
    message: { kind: "notification", content, unsubscribeUrl: null },
    acceptedAt: test.createdAt,
    ttlSeconds: 60,
    mayBegin: () => true,
  } as const;
  return deps.senders.send(key, config, request, AbortSignal.any([signal, AbortSignal.timeout(deps.answerMs)]));
}
