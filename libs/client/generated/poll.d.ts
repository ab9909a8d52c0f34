/** How long to poll an asynchronous result. */
export type WaitOptions = {
    /** 60 seconds by default. */
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
};
/** Polls until `isDone` or the time is up, less and less often. Returns the last result. */
export declare function pollUntil<T>(ask: () => Promise<T>, isDone: (seen: T) => boolean, { timeoutMs, signal }: WaitOptions): Promise<T>;
