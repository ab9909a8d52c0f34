import type { ResponseOf } from "../operation-types.ts";
import type { Exposure } from "./exposure-clock.ts";

export type ImpressionResult = ResponseOf<"ads.recordViewableImpression">["data"];

/** Total number of attempts. The token identifies repeats, so none is charged twice. */
const triesMax = 5;
const firstWaitMs = 500;
const waitMsMax = 60_000;

export type ReportOptions = {
  readonly baseUrl: string;
  readonly token: string;
  readonly signal: AbortSignal;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
};

/**
 * Reports an exposure and returns the recorded impression; null if the platform rejects it permanently or cannot be
 * reached. With `keepalive`, the report outlives the page that sent it.
 */
export async function reportExposure(exposure: Exposure, options: ReportOptions): Promise<ImpressionResult | null> {
  const url = `${options.baseUrl.replace(/\/+$/, "")}/api/v1/advertising/viewable-impressions`;
  const body = JSON.stringify({
    token: options.token,
    visible_ratio_basis_points: Math.floor(Math.min(1, exposure.leastRatio) * 10_000),
    duration_milliseconds: Math.floor(Math.min(3_600_000, exposure.durationMs)),
  });
  for (let tries = 1; ; tries += 1) {
    const response = await send(url, body);
    if (response?.ok) return ((await response.json()) as ResponseOf<"ads.recordViewableImpression">).data;
    const isFinal = response !== null && response.status < 500 && response.status !== 429;
    if (isFinal || tries >= triesMax || options.signal.aborted) return null;
    const retryAfterMs = Number(response?.headers.get("retry-after") ?? Number.NaN) * 1_000;
    const waitMs = Number.isFinite(retryAfterMs) ? retryAfterMs : firstWaitMs * 2 ** (tries - 1);
    await options.wait(Math.min(waitMsMax, waitMs), options.signal);
  }
}

async function send(url: string, body: string): Promise<Response | null> {
  const headers = { "content-type": "application/json" };
  try {
    return await fetch(url, { method: "POST", keepalive: true, credentials: "omit", headers, body });
  } catch {
    return null;
  }
}
