/** Share of an ad that must be in view, and for how long without interruption (MRC viewable impression guidelines). */
export const thresholds = {
    display: { ratio: 0.5, durationMs: 1_000 },
    display_large: { ratio: 0.3, durationMs: 1_000 },
    video: { ratio: 0.5, durationMs: 2_000 },
};
export function exposureClock(format) {
    const { ratio: ratioMin, durationMs } = thresholds[format];
    let since = null;
    return {
        see: (ratio, nowMs) => {
            if (ratio < ratioMin)
                since = null;
            else if (since === null)
                since = { atMs: nowMs, leastRatio: ratio };
            else
                since.leastRatio = Math.min(since.leastRatio, ratio);
        },
        exposure: (nowMs) => (since === null ? null : { leastRatio: since.leastRatio, durationMs: nowMs - since.atMs }),
        dueAtMs: () => (since === null ? null : since.atMs + durationMs),
    };
}
