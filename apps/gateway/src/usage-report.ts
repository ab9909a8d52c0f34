import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { steadyNowMs } from "@platform/kit/rpc/client";
import { createUsageReporter, type UsageReporter } from "@platform/operator-plane/usage";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { Upstreams } from "./upstreams.ts";

const everyMs = 5_000;
const deadlineMs = 10_000;

type Options = { readonly logger: Logger; readonly metrics: Pick<GatewayMetrics, "usageRefused"> };

const settingsOf = ({ logger, metrics }: Options) => ({
  everyMs,
  clock: () => new Date(),
  logger,
  onRefused: (counts: number) => metrics.usageRefused.inc(counts),
});

/**
 * Counts requests by credential and operation, and reports the counts to identity-svc. An owner is a client and its
 * credential; see `credentialOwner`.
 */
export function reportCredentialUsage({ identity }: Pick<Upstreams, "identity">, options: Options): UsageReporter {
  return createUsageReporter(async ({ reporterId, sequence, counts }) => {
    await identity.usage.recordCredentialUsage(
      {
        reporterId,
        sequence: BigInt(sequence),
        counts: counts.map(({ ownerId, kind, hour, count }) => {
          const [projectClientId = "", credentialId = ""] = ownerId.split(" ");
          return {
            projectClientId,
            credentialId,
            operation: kind,
            hour: timestampFromDate(hour),
            count: BigInt(count),
          };
        }),
      },
      {
        context: { correlationId: newId(), operation: "usage", projectClient: null, idempotency: null },
        deadlineMs: steadyNowMs() + deadlineMs,
      },
    );
  }, settingsOf(options));
}

/** Returns the key under which the requests of a Project Client's credential are counted. */
export const credentialOwner = (clientId: string, credentialId: string): string => `${clientId} ${credentialId}`;

/** Counts the usage of clients in this process, and reports it to identity-svc. */
export function reportUsage({ identity }: Pick<Upstreams, "identity">, options: Options): UsageReporter {
  return createUsageReporter(async ({ reporterId, sequence, counts }) => {
    await identity.usage.recordUsage(
      {
        reporterId,
        sequence: BigInt(sequence),
        counts: counts.map(({ ownerId, kind, hour, count }) => ({
          projectClientId: ownerId,
          kind,
          hour: timestampFromDate(hour),
          count: BigInt(count),
        })),
      },
      {
        context: { correlationId: newId(), operation: "usage", projectClient: null, idempotency: null },
        deadlineMs: steadyNowMs() + deadlineMs,
      },
    );
  }, settingsOf(options));
}
