import { waitInRealTime } from "../retry.ts";
import { type AdFormat, exposureClock } from "./exposure-clock.ts";
import { type ImpressionResult, reportExposure } from "./report.ts";

export { type AdFormat, type Exposure, thresholds } from "./exposure-clock.ts";
export type { ImpressionResult } from "./report.ts";

export type ViewabilityOptions = {
  /** URL of the platform, such as `https://platform.example.com`. */
  readonly baseUrl: string;
  /** The signed ad decision token, from the ad server. */
  readonly token: string;
  /** The format of the decision. */
  readonly format: AdFormat;
};

export type ObservedAd = {
  /** The recorded impression; null if observing was stopped or the platform rejected the report. */
  readonly recorded: Promise<ImpressionResult | null>;
  /** Stops observing. A report in progress continues. */
  stop(): void;
};

/** Visible shares of the ad at which the browser reports: every twentieth. */
const steps = Array.from({ length: 21 }, (_, index) => index / 20);

/** Watches an ad in a page, and reports its viewable impression once it was in view long enough without a break. */
export function observeAd(element: Element, options: ViewabilityOptions): ObservedAd {
  const clock = exposureClock(options.format);
  const { promise: recorded, resolve } = deferred<ImpressionResult | null>();
  const ended = new AbortController();
  let ratio = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;

  const leave = (): void => {
    isDone = true;
    observer.disconnect();
    document.removeEventListener("visibilitychange", look);
    clearTimeout(timer);
  };
  const look = (): void => {
    if (isDone) return;
    const nowMs = performance.now();
    clock.see(document.visibilityState === "visible" ? ratio : 0, nowMs);
    clearTimeout(timer);
    const dueAtMs = clock.dueAtMs();
    if (dueAtMs === null) return;
    if (nowMs < dueAtMs) {
      timer = setTimeout(look, Math.ceil(dueAtMs - nowMs));
      return;
    }
    const exposure = clock.exposure(nowMs);
    leave();
    const report = { ...options, signal: ended.signal, wait: waitInRealTime };
    resolve(exposure === null ? null : reportExposure(exposure, report).catch(() => null));
  };
  const observer = new IntersectionObserver(
    (entries) => {
      ratio = entries.at(-1)?.intersectionRatio ?? ratio;
      look();
    },
    { threshold: steps },
  );
  observer.observe(element);
  document.addEventListener("visibilitychange", look);
  return {
    recorded,
    stop: () => {
      ended.abort();
      if (isDone) return;
      leave();
      resolve(null);
    },
  };
}

function deferred<T>() {
  let resolve: (value: T | PromiseLike<T>) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
