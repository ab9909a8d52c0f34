import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { MeasurementAdminService } from "@platform/proto/operator/v1/measurement_admin";
import { invalidRequest } from "../errors/operator-request-error.ts";
import type { MeasurementSlot, MeasurementStore } from "../mongo/measurements.ts";
import { readMeasurementKey } from "../process/measurement.ts";
import { isUuid } from "../secrets/id.ts";
import { type Implementation, implementForOperators, type ServedService } from "./serve.ts";

const dayMs = 86_400_000;
const daysMax = 31;
const namesMax = 20;

/** Serves what a service's processes measured. */
export function measurementAdmin(store: Pick<MeasurementStore, "list">, clock: () => Date): ServedService {
  const implementation: Implementation<typeof MeasurementAdminService> = {
    listMeasurements: async ({ projectClientId, names, since }) => {
      if (projectClientId !== "" && !isUuid(projectClientId))
        throw invalidRequest("/project_client_id", "must be the UUID of a Project Client, or empty");
      if (names.length === 0 || names.length > namesMax)
        throw invalidRequest("/names", `must have 1 to ${namesMax} items`);
      const from = since === undefined ? new Date(clock().getTime() - dayMs) : timestampDate(since);
      if (clock().getTime() - from.getTime() > (daysMax + 1) * dayMs)
        throw invalidRequest("/since", `must be at most ${daysMax} days ago`);
      const slots = await store.list(projectClientId.toLowerCase(), new Set(names), from);
      return { slots: slots.map(slotMessage) };
    },
  };
  return implementForOperators(MeasurementAdminService, implementation);
}

function slotMessage({ at, reportedAt, sums, peaks, latest }: MeasurementSlot) {
  const keys = [...new Set([sums, peaks, latest].flatMap((values) => Object.keys(values)))];
  return {
    at: timestampFromDate(at),
    reportedAt: timestampFromDate(reportedAt),
    measurements: keys.map((key) => ({
      ...readMeasurementKey(key),
      ...(sums[key] === undefined ? {} : { sum: sums[key] }),
      ...(peaks[key] === undefined ? {} : { peak: peaks[key] }),
      ...(latest[key] === undefined ? {} : { latest: latest[key] }),
    })),
  };
}
