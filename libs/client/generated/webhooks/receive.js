import { handledIdsInMemory } from "./handled-ids.js";
import { secretsOf, verifyReceived, WebhookError, } from "./verify.js";
/** Maximum size of a call's body in bytes. */
export const bodyBytesMax = 2 * 1024 * 1024;
/**
 * Verifies, de-duplicates and handles calls, and returns the response to each.
 * @throws TypeError when the secret cannot be one
 */
export function receiver({ secret, handle, handledIds = handledIdsInMemory(), onError }) {
    // A wrong secret fails when the handler is created, not at the first call.
    secretsOf(secret);
    return async (request) => {
        let call;
        try {
            call = verifyReceived(secret, request);
        }
        catch (error) {
            if (error instanceof WebhookError)
                return { status: 401, message: error.message };
            throw error;
        }
        const state = await handledIds.begin(call.id);
        // For the platform, a repeat of a handled call is a success, because it may never have seen the first response.
        if (state === "done")
            return { status: 200, message: "handled before" };
        if (state === "running")
            return { status: 409, message: "is being handled" };
        try {
            await handle(call);
        }
        catch (error) {
            await handledIds.abandon(call.id);
            onError?.(error);
            return { status: 500, message: "could not be handled" };
        }
        await handledIds.finish(call.id);
        return { status: 200, message: "handled" };
    };
}
