/** An ad's format, from its decision. */
export type AdFormat = "display" | "display_large" | "video";
/** How much of an ad must be in view, and for how long without a break (MRC viewable impression guidelines). */
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
    /** From `nowMs` on this share of the ad is in view; 0 where the page is hidden. */
    see(ratio: number, nowMs: number): void;
    /** The current exposure, or null while too little of the ad is in view. */
    exposure(nowMs: number): Exposure | null;
    /** Time at which the current exposure will have lasted long enough; null if there is none. */
    dueAtMs(): number | null;
};
export declare function exposureClock(format: AdFormat): ExposureClock;
