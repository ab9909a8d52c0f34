import type { ResponseOf } from "./operation-types.js";
export type HostedContinuation = Pick<ResponseOf<"identity.createHostedContinuation">["data"], "id" | "continuation_token">;
/** The form that sends a browser to the hosted pages: its address and fields, and the complete form as HTML. */
export type HostedContinuationForm = {
    readonly action: string;
    readonly fields: {
        readonly continuation_id: string;
        readonly continuation_token: string;
    };
    /** A `<form>` with its button, to be put into a page of the project's. It runs no script. */
    readonly html: string;
};
/**
 * The form for a hosted continuation. Send the page that contains it with `Cache-Control: no-store`: the token must not
 * end up in any URL, log, cache or third party.
 */
export declare function hostedContinuationForm(baseUrl: string, continuation: HostedContinuation, button?: string): HostedContinuationForm;
