/** A signal that aborts when nothing has moved for a while, however long the whole takes. */
export type StallLimit = {
    readonly signal: AbortSignal;
    /** Called when bytes moved: the time-out restarts. */
    touch(): void;
    /** The last byte was handed over. What is held on the way may still need its time until the response can come. */
    sentAll(totalBytes: number): void;
    /** Ends the watch. */
    stop(): void;
};
/** @param stallMs longest time in which nothing moves */
export declare function createStallLimit(stallMs: number): StallLimit;
