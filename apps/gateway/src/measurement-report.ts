import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { steadyNowMs } from "@platform/service-kit/grpc/deadline";
import { createMeasurementRecorder, type MeasurementRecorder } from "@platform/service-kit/jobs/measurement-recorder";
import type { Logger } from "@platform/service-kit/process/logger";
import type { Metrics } from "@platform/service-kit/process/metrics";
import { newId } from "@platform/service-kit/secrets/id";
import type { Upstreams } from "./upstreams.ts";

const everyMs = 15_000;
const deadlineMs = 10_000;

/** Has identity-svc keep a history of what this gateway measures. */
export function reportMeasurements(
  { identity }: Pick<Upstreams, "identity">,
  { registry }: Pick<Metrics, "registry">,
  logger: Logger,
): Pick<MeasurementRecorder, "close"> {
  return createMeasurementRecorder({
    record: async ({ reporterId, sequence, slots }) => {
      await identity.usage.recordMeasurements(
        {
          reporterId,
          sequence: BigInt(sequence),
          slots: slots.map(({ at, sums, gauges }) => ({ at: timestampFromDate(at), sums, gauges })),
        },
        {
          context: { correlationId: newId(), operation: "usage", projectClient: null, idempotency: null },
          deadlineMs: steadyNowMs() + deadlineMs,
        },
      );
    },
    registry,
    everyMs,
    clock: () => new Date(),
    logger,
  });
}
