/** Measurements of a Project Client are kept by hour, those of the platform by ten minutes. */
export const clientSlotMs = 3_600_000;
export const platformSlotMs = 600_000;

/** What a process measured in one slot since its previous report. */
export type MeasuredSlot = {
  /** Empty for what belongs to the platform. */
  readonly clientId: string;
  readonly at: Date;
  /** By key: how much a counter grew. */
  readonly sums: Readonly<Record<string, number>>;
  /** By key: the value of a gauge. */
  readonly gauges: Readonly<Record<string, number>>;
};

/** A report of one process; numbered, so that a repeated one counts once. */
export type MeasurementReport = {
  /** Names the process; 32 lowercase hex characters. */
  readonly reporterId: string;
  /** Counts its reports, from 1. */
  readonly sequence: number;
  readonly slots: readonly MeasuredSlot[];
};

export type Labels = Readonly<Record<string, string>>;

/** Keys become names of fields in the store. */
export const isMeasurementKey = (key: string): boolean =>
  /^[a-z][a-z0-9_]{0,99}(\|[a-z_]{1,30}=[\w -]{0,60}){0,4}$/.test(key);

/** A metric with its labels, as `name|label=value`. Other characters than letters, digits, `_`, `-` and spaces become `_`. */
export function measurementKey(name: string, labels: Labels = {}): string {
  const parts = Object.entries(labels).map(
    ([label, value]) => `${label}=${value.replace(/[^\w -]/g, "_").slice(0, 60)}`,
  );
  return [name, ...parts].join("|");
}

export function readMeasurementKey(key: string): { readonly name: string; readonly labels: Labels } {
  const [name = "", ...parts] = key.split("|");
  return { name, labels: Object.fromEntries(parts.map((part) => part.split("=") as [string, string])) };
}

/** The keys of a histogram's buckets that a value falls into, by their upper bounds in milliseconds; the last is `inf`. */
export function bucketKeys(name: string, labels: Labels, boundsMs: readonly number[], valueMs: number): string[] {
  const bounds = [...boundsMs.filter((bound) => valueMs <= bound).map(String), "inf"];
  return bounds.map((bound) => measurementKey(name, { ...labels, le_ms: bound }));
}
