/** A signal that aborts if there is no progress for a while, however long the whole transfer takes. */
export type StallLimit = {
    readonly signal: AbortSignal;
    /** Called when bytes were transferred: the time-out restarts. */
    touch(): void;
    /** The last byte has been sent. Data that is buffered on the way may still need time before the response can arrive. */
    sentAll(totalBytes: number): void;
    /** Ends the watch. */
    stop(): void;
};
/** @param stallMs longest time without progress */
export declare function createStallLimit(stallMs: number): StallLimit;
