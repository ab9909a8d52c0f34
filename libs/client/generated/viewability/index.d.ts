import { type AdFormat } from "./exposure-clock.js";
import { type ImpressionResult } from "./report.js";
export { type AdFormat, type Exposure, thresholds } from "./exposure-clock.js";
export type { ImpressionResult } from "./report.js";
export type ViewabilityOptions = {
    /** URL of the platform, such as `https://platform.example.com`. */
    readonly baseUrl: string;
    /** The signed ad decision token, from the ad server. */
    readonly token: string;
    /** The format of the decision. */
    readonly format: AdFormat;
};
export type ObservedAd = {
    /** The recorded impression; null if observing was stopped or the platform rejected the report. */
    readonly recorded: Promise<ImpressionResult | null>;
    /** Stops observing. A report in progress continues. */
    stop(): void;
};
/** Watches an ad in a page, and reports its viewable impression once it was in view long enough without a break. */
export declare function observeAd(element: Element, options: ViewabilityOptions): ObservedAd;
