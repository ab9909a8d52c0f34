import { waitInRealTime } from "./retry.js";
const firstWaitMs = 100;
const waitMsMax = 2_000;
/** Polls until `isDone` or the time is up, less and less often. Returns the last result. */
export async function pollUntil(ask, isDone, { timeoutMs = 60_000, signal }) {
    const until = performance.now() + timeoutMs;
    for (let waitMs = firstWaitMs;; waitMs = Math.min(waitMsMax, waitMs * 1.5)) {
        const seen = await ask();
        if (isDone(seen) || performance.now() + waitMs > until)
            return seen;
        await waitInRealTime(waitMs, signal);
    }
}
