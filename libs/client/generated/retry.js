import { ConnectionError, PlatformError } from "./errors.js";
const firstWaitMs = 250;
/**
 * Runs `attempt` until it succeeds, fails permanently or the attempts are used up.
 * @param isRepeatable true if the request may be repeated after an unknown outcome. Others are repeated only after an
 * exhausted quota, which is reported before anything is done.
 */
export async function withRetries(policy, isRepeatable, signal, attempt) {
    for (let tries = 1;; tries += 1) {
        try {
            return await attempt();
        }
        catch (error) {
            signal?.throwIfAborted();
            const waitMs = waitBefore(error, tries);
            const isSafe = isRepeatable || (error instanceof PlatformError && error.code === "platform_quota_exceeded");
            if (waitMs === null || !isSafe || tries >= policy.attemptsMax || waitMs > policy.waitMsMax)
                throw error;
            await policy.wait(waitMs, signal);
        }
    }
}
/** How long to wait after this failure, in milliseconds; null if waiting does not help. */
function waitBefore(error, tries) {
    // Doubled each time, with jitter over half of it, so that callers that failed together do not retry together.
    const backoffMs = firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
    if (error instanceof ConnectionError)
        return backoffMs;
    if (!(error instanceof PlatformError) || !error.retryable)
        return null;
    return error.retryAfterSeconds === null ? backoffMs : error.retryAfterSeconds * 1000;
}
/** The policy's wait in real time. */
export function waitInRealTime(ms, signal) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", onAbort);
            resolve();
        }, ms);
        const onAbort = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        signal?.addEventListener("abort", onAbort, { once: true });
    });
}
