/** How long to wait for something the platform does in its own time. */
export type WaitOptions = {
    /** 60 seconds by default. */
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
};
/** Asks until `isDone` says so or the time is up, less and less often. Answers what was seen last. */
export declare function pollUntil<T>(ask: () => Promise<T>, isDone: (seen: T) => boolean, { timeoutMs, signal }: WaitOptions): Promise<T>;
