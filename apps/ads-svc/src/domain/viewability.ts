/** Ad formats of a decision. The format determines the threshold, and is read only from the signed token. */
export const adFormats = ["display", "display_large", "video"] as const;
export type AdFormat = (typeof adFormats)[number];

export function isAdFormat(text: string): text is AdFormat {
  return (adFormats as readonly string[]).includes(text);
}

/** The measurements that the caller reports. */
export type Visibility = {
  /** Visible part of the creative in basis points, from 0 to 10000. */
  readonly ratioBasisPoints: number;
  /** How long that part was visible without interruption, in milliseconds. */
  readonly durationMs: number;
};

/**
 * The thresholds of the MRC Viewable Ad Impression Measurement Guidelines: half of the pixels for 1 s, 30 % of a
 * large ad for 1 s, and half of a video for 2 s.
 */
const thresholds: Readonly<Record<AdFormat, Visibility>> = {
  display: { ratioBasisPoints: 5000, durationMs: 1000 },
  display_large: { ratioBasisPoints: 3000, durationMs: 1000 },
  video: { ratioBasisPoints: 5000, durationMs: 2000 },
};

/** Tolerated difference between the clocks of an ad server and of this service, in milliseconds. */
export const clockSkewMs = 5_000;

export type ViewabilityFault =
  | { readonly reason: "below_threshold"; readonly required: Visibility }
  | { readonly reason: "impossible_duration"; readonly durationMsMax: number };

/**
 * Evaluates a measurement. Returns null if the impression was viewable. The measured duration cannot exceed the time
 * since the decision plus the tolerated clock difference.
 */
export function checkVisibility(
  format: AdFormat,
  seen: Visibility,
  issuedAt: Date,
  now: Date,
): ViewabilityFault | null {
  const durationMsMax = now.getTime() - issuedAt.getTime() + clockSkewMs;
  if (seen.durationMs > durationMsMax) return { reason: "impossible_duration", durationMsMax };
  const required = thresholds[format];
  const met = seen.ratioBasisPoints >= required.ratioBasisPoints && seen.durationMs >= required.durationMs;
  return met ? null : { reason: "below_threshold", required };
}
