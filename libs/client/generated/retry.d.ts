/** When and how often a request is repeated. */
export type RetryPolicy = {
    /** Total number of attempts, including the first. */
    readonly attemptsMax: number;
    /** Longest wait between two attempts; a longer Retry-After ends them. */
    readonly waitMsMax: number;
    /** Waits; rejects when `signal` aborts. */
    readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};
/**
 * Runs `attempt` until it succeeds, fails permanently or the attempts are used up.
 * @param isRepeatable true if the request may be repeated after an unknown outcome. Others are repeated only after an
 * exhausted quota, which is reported before anything is done.
 */
export declare function withRetries<T>(policy: RetryPolicy, isRepeatable: boolean, signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T>;
/** The policy's wait in real time. */
export declare function waitInRealTime(ms: number, signal: AbortSignal | undefined): Promise<void>;
