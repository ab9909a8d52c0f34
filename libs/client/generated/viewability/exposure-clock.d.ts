/** An ad's format, from its decision. */
export type AdFormat = "display" | "display_large" | "video";
/** Share of an ad that must be in view, and for how long without interruption (MRC viewable impression guidelines). */
export declare const thresholds: Readonly<Record<AdFormat, {
    readonly ratio: number;
    readonly durationMs: number;
}>>;
/** The longest uninterrupted exposure so far. */
export type Exposure = {
    readonly leastRatio: number;
    readonly durationMs: number;
};
/** Measures one uninterrupted exposure. Pure: the times are the caller's. */
export type ExposureClock = {
    /** Reports the share of the ad that is in view from `nowMs` on; 0 while the page is hidden. */
    see(ratio: number, nowMs: number): void;
    /** The current exposure, or null while too little of the ad is in view. */
    exposure(nowMs: number): Exposure | null;
    /** Time at which the current exposure will have lasted long enough; null if there is none. */
    dueAtMs(): number | null;
};
export declare function exposureClock(format: AdFormat): ExposureClock;
