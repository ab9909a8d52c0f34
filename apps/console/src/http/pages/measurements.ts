import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { MeasurementAdminService } from "@platform/proto/operator/v1/measurement_admin";
import { isServiceError } from "@platform/service-kit/errors/service-error";
import { type ServiceName, serviceNames } from "../../calls/backend.ts";
import type { Sample } from "../../monitoring/samples.ts";
import type { Visit } from "../visit.ts";

type Asked = {
  readonly names: readonly string[];
  readonly since: Date;
  /** Of this Project Client; without it of the platform. */
  readonly clientId?: string;
  readonly services?: readonly ServiceName[];
};

/** What services measured. One that does not answer is left out: a plot of the others is better than no page. */
export async function measurementsOf(visit: Visit, asked: Asked): Promise<Sample[]> {
  const { names, since, clientId = "", services = serviceNames } = asked;
  const request = { names: [...names], since: timestampFromDate(since), projectClientId: clientId };
  const replies = await Promise.all(
    services.map(async (service) => {
      const method = MeasurementAdminService.method.listMeasurements;
      const { slots } = await visit.ask(method, request, { service }).catch((error: unknown) => {
        if (isServiceError(error, "dependency_unavailable")) return { slots: [] };
        throw error;
      });
      return slots.flatMap(({ at, reportedAt, measurements }) =>
        at === undefined || reportedAt === undefined
          ? []
          : measurements.map(({ name, labels, sum, peak, latest }) => ({
              service,
              at: timestampDate(at),
              reportedAt: timestampDate(reportedAt),
              name,
              labels,
              sum: sum ?? null,
              peak: peak ?? null,
              latest: latest ?? null,
            })),
      );
    }),
  );
  return replies.flat();
}
