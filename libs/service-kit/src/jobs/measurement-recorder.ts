import { randomBytes } from "node:crypto";
import type { Registry } from "@prometheus-io/client";
import type { Logger } from "../process/logger.ts";
import { sampleRegistry } from "../process/measured-metrics.ts";
import { clientSlotMs, type MeasurementReport, platformSlotMs } from "../process/measurement.ts";
import { repeat } from "./repeat.ts";

/** Keeps a history of what this process measures. */
export type MeasurementRecorder = {
  /** Adds to a counter of a Project Client. */
  add(clientId: string, key: string, amount: number): void;
  /** Sets a gauge of a Project Client. */
  set(clientId: string, key: string, value: number): void;
  /** Sends the last report. */
  close(): Promise<void>;
};

/** Slots of one report; identity-svc takes 1,000. A gateway has more with many clients, or after a long outage of identity-svc. */
const slotsMax = 500;

type Slot = { clientId: string; at: Date; sums: Record<string, number>; gauges: Record<string, number> };

/**
 * Samples the registry's measured metrics and reports them, with what was added meanwhile, every `everyMs`. A failed report is repeated unchanged;
 * a killed process loses what it had not reported.
 */
export function createMeasurementRecorder(options: {
  readonly record: (report: MeasurementReport) => Promise<void>;
  readonly registry: Registry;
  readonly everyMs: number;
  readonly clock: () => Date;
  readonly logger: Logger;
}): MeasurementRecorder {
  const { record, registry, clock, logger } = options;
  const reporterId = randomBytes(16).toString("hex");
  let slots = new Map<string, Slot>();
  let before: ReadonlyMap<string, number> = new Map();
  let pending: MeasurementReport[] = [];
  let sequence = 0;

  const slotOf = (clientId: string): Slot => {
    const slotMs = clientId === "" ? platformSlotMs : clientSlotMs;
    const at = new Date(Math.floor(clock().getTime() / slotMs) * slotMs);
    const name = `${clientId} ${at.getTime()}`;
    const slot = slots.get(name) ?? { clientId, at, sums: {}, gauges: {} };
    slots.set(name, slot);
    return slot;
  };
  const add = (clientId: string, key: string, amount: number): void => {
    const { sums } = slotOf(clientId);
    sums[key] = (sums[key] ?? 0) + amount;
  };
  const set = (clientId: string, key: string, value: number): void => {
    slotOf(clientId).gauges[key] = value;
  };
  const sample = async (): Promise<void> => {
    const { sums, gauges } = await sampleRegistry(registry);
    for (const [key, value] of sums) {
      const grown = value - (before.get(key) ?? 0);
      if (grown > 0) add("", key, grown);
    }
    before = sums;
    for (const [key, value] of gauges) set("", key, value);
  };
  const send = async (): Promise<void> => {
    if (pending.length === 0) {
      if (slots.size === 0) return;
      sequence += 1;
      const measured = [...slots.values()];
      slots = new Map();
      // The receiver remembers the sequence with each slot, so the parts of a report may share one.
      for (let from = 0; from < measured.length; from += slotsMax)
        pending.push({ reporterId, sequence, slots: measured.slice(from, from + slotsMax) });
    }
    for (let part = pending[0]; part !== undefined; part = pending[0]) {
      await record(part);
      pending = pending.slice(1);
    }
  };
  const report = async (): Promise<void> => {
    await sample();
    // What was measured after a report that had failed goes with the next.
    if (pending.length > 0) await send();
    await send();
  };
  // A warning only: at the start of a platform the receiver may be later than this process.
  const job = repeat("record-measurements", options.everyMs, logger, () =>
    report().catch((error: unknown) => logger.warn({ err: error }, "measurements wait for the next report")),
  );
  return {
    add,
    set,
    close: async () => {
      await job.stop();
      await report().catch((error: unknown) => logger.warn({ err: error }, "the last measurements were not reported"));
    },
  };
}
