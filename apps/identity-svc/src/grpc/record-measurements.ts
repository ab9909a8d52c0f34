import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { UsageService } from "@platform/proto/identity/v1/usage";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import type { MeasurementStore } from "@platform/service-kit/mongo/measurements";

type Rpc = Implementation<typeof UsageService>["recordMeasurements"];

const slotsMax = 1_000;

/** Keeps what a gateway measured. */
export function recordMeasurements(measurements: Pick<MeasurementStore, "record">, clock: () => Date): Rpc {
  return async ({ reporterId, sequence, slots }) => {
    // It becomes the name of a field.
    if (!/^[0-9a-f]{32}$/.test(reporterId))
      throw new ServiceError("contract_violation", "reporter_id must be 32 lowercase hex characters");
    if (slots.length > slotsMax)
      throw new ServiceError("contract_violation", `slots must have at most ${slotsMax} items`);
    await measurements.record(
      {
        reporterId,
        sequence: Number(sequence),
        slots: slots.flatMap(({ at, sums, gauges }) =>
          at === undefined ? [] : [{ clientId: "", at: timestampDate(at), sums, gauges }],
        ),
      },
      clock(),
    );
    return {};
  };
}
