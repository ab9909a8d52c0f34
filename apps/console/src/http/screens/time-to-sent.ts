import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { HtmlValue } from "@platform/kit/web/http";
import type { OperatorDelivery } from "@platform/proto/notify/v1/notify_admin";
import type { Series } from "../../plots/render-plot.ts";
import { section } from "../pages/elements.ts";
import { figure, lastHours } from "../pages/figure.ts";

const hourMs = 3_600_000;
const hours = 72;

/** Renders a plot of the time from the acceptance of a delivery by the platform to its acceptance by the provider. */
export async function timeToSentPart(deliveries: readonly OperatorDelivery[], channel: string): Promise<HtmlValue> {
  const title = `From acceptance by the platform to acceptance by the provider, by hour, ${channel === "" ? "all channels" : channel}`;
  const series = timeToSent(deliveries, lastHours(hours)[0] ?? new Date());
  return section(
    "Time to sent",
    await figure({ isWide: true, title, unit: "ms", xTitle: "hour (UTC)", kind: "line", series }),
  );
}

/**
 * Returns quantiles of that time in milliseconds, for each UTC hour in which deliveries were accepted.
 * @param since deliveries that were accepted before this time are omitted
 */
export function timeToSent(
  deliveries: readonly Pick<OperatorDelivery, "status" | "createdAt" | "finishedAt">[],
  since: Date,
): Series[] {
  const byHour = new Map<number, number[]>();
  for (const { status, createdAt, finishedAt } of deliveries) {
    if (status !== "sent" || createdAt === undefined || finishedAt === undefined) continue;
    const acceptedMs = timestampMs(createdAt);
    if (acceptedMs < since.getTime()) continue;
    byHour.getOrInsertComputed(acceptedMs - (acceptedMs % hourMs), () => []).push(timestampMs(finishedAt) - acceptedMs);
  }
  const sorted = [...byHour].sort(([a], [b]) => a - b);
  return [0.5, 0.95].map((part) => ({
    name: `p${part * 100}`,
    points: sorted.map(([hour, durations]) => ({ x: new Date(hour), y: quantileOf(durations, part) })),
  }));
}

/** Returns the smallest value for which at least this share of the values is not larger (nearest rank). */
function quantileOf(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1] ?? 0;
}
