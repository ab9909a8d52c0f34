import type { ResponseOf } from "../operation-types.js";
import type { Exposure } from "./exposure-clock.js";
export type ImpressionResult = ResponseOf<"ads.recordViewableImpression">["data"];
export type ReportOptions = {
    readonly baseUrl: string;
    readonly token: string;
    readonly signal: AbortSignal;
    readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
};
/**
 * Reports an exposure and returns what was recorded; null when the platform refuses it for good or cannot be reached.
 * `keepalive`: the report outlives the page it was sent from.
 */
export declare function reportExposure(exposure: Exposure, options: ReportOptions): Promise<ImpressionResult | null>;
