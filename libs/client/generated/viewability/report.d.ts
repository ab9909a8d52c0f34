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
 * Reports an exposure and returns the recorded impression; null if the platform rejects it permanently or cannot be
 * reached. With `keepalive`, the report outlives the page that sent it.
 */
export declare function reportExposure(exposure: Exposure, options: ReportOptions): Promise<ImpressionResult | null>;
