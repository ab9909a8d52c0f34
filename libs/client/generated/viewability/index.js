import { waitInRealTime } from "../retry.js";
import { exposureClock } from "./exposure-clock.js";
import { reportExposure } from "./report.js";
export { thresholds } from "./exposure-clock.js";
/** Visible shares of the ad at which the browser reports: every twentieth. */
const steps = Array.from({ length: 21 }, (_, index) => index / 20);
/** Watches an ad in a page, and reports its viewable impression once it was in view long enough without a break. */
export function observeAd(element, options) {
    const clock = exposureClock(options.format);
    const { promise: recorded, resolve } = deferred();
    const ended = new AbortController();
    let ratio = 0;
    let timer;
    let isDone = false;
    const leave = () => {
        isDone = true;
        observer.disconnect();
        document.removeEventListener("visibilitychange", look);
        clearTimeout(timer);
    };
    const look = () => {
        if (isDone)
            return;
        const nowMs = performance.now();
        clock.see(document.visibilityState === "visible" ? ratio : 0, nowMs);
        clearTimeout(timer);
        const dueAtMs = clock.dueAtMs();
        if (dueAtMs === null)
            return;
        if (nowMs < dueAtMs) {
            timer = setTimeout(look, Math.ceil(dueAtMs - nowMs));
            return;
        }
        const exposure = clock.exposure(nowMs);
        leave();
        const report = { ...options, signal: ended.signal, wait: waitInRealTime };
        resolve(exposure === null ? null : reportExposure(exposure, report).catch(() => null));
    };
    const observer = new IntersectionObserver((entries) => {
        ratio = entries.at(-1)?.intersectionRatio ?? ratio;
        look();
    }, { threshold: steps });
    observer.observe(element);
    document.addEventListener("visibilitychange", look);
    return {
        recorded,
        stop: () => {
            ended.abort();
            if (isDone)
                return;
            leave();
            resolve(null);
        },
    };
}
function deferred() {
    let resolve = () => { };
    const promise = new Promise((settle) => {
        resolve = settle;
    });
    return { promise, resolve };
}
