/** The slowest pace that the platform accepts from a sender (docs/files.md). */
const slowestBytesPerMs = (64 * 1024) / 1000;
/**
 * Bytes that operating systems and proxies on the way may buffer: the sender has sent them, but they have not arrived.
 */
const heldBytesMax = 16 * 1024 * 1024;
/** @param stallMs longest time without progress */
export function createStallLimit(stallMs) {
    const controller = new AbortController();
    let timer;
    const wait = (ms) => {
        clearTimeout(timer);
        timer = setTimeout(() => controller.abort(new DOMException(`nothing moved for ${Math.round(ms)} ms`, "TimeoutError")), ms);
    };
    wait(stallMs);
    return {
        signal: controller.signal,
        touch: () => wait(stallMs),
        sentAll: (totalBytes) => wait(stallMs + Math.min(totalBytes, heldBytesMax) / slowestBytesPerMs),
        stop: () => clearTimeout(timer),
    };
}
