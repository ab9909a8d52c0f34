import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { headerValue } from "./received-headers.js";
const secretLengthMin = 32;
/** The platform did not sign the request with this secret just now: it is forged, altered, too old, or not a call at all. */
export class WebhookError extends Error {
    name = "WebhookError";
}
const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
/**
 * Verifies a call by Standard Webhooks 1.0 and returns its contents.
 * @param request a fetch Request, whose body is read here, or headers and raw body
 * @throws WebhookError if the call must be rejected
 * @throws TypeError if the secret is not valid, such as that of an unset environment variable: with it, anyone could
 * sign
 */
export async function verify(secret, request) {
    const bytes = request instanceof Request ? new Uint8Array(await request.arrayBuffer()) : request.body;
    return verifyReceived(secret, { headers: request.headers, body: bytes });
}
/** The same as `verify`, for a body that has already been read. */
export function verifyReceived(secret, { headers, body }) {
    const text = textOf(body);
    const signed = Object.fromEntries(names.map((name) => [name, headerValue(headers, name)]));
    if (!secretsOf(secret).some((one) => isSignedWith(one, text, signed))) {
        throw new WebhookError("the request is not signed with this secret, or not within the last five minutes");
    }
    return callOf(signed["webhook-id"] ?? "", text);
}
function isSignedWith(secret, text, headers) {
    const webhook = secret.startsWith("whsec_")
        ? new Webhook(secret)
        : new Webhook(new TextEncoder().encode(secret), { format: "raw" });
    try {
        webhook.verify(text, headers, { jsonParse: false });
        return true;
    }
    catch (error) {
        if (error instanceof WebhookVerificationError)
            return false;
        throw error;
    }
}
/**
 * The text of the body. Bytes that are not UTF-8 would be replaced, and the verified text would then differ from the
 * bytes that were sent.
 */
function textOf(body) {
    if (typeof body === "string")
        return body;
    try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    }
    catch {
        throw new WebhookError("the body is not UTF-8");
    }
}
/**
 * The secrets, each of which a platform could have registered.
 * @throws TypeError
 */
export function secretsOf(secret) {
    const secrets = Array.isArray(secret) ? secret : [secret];
    if (secrets.length === 0)
        throw new TypeError("the webhook secret is missing: the list of secrets is empty");
    for (const one of secrets) {
        const problem = secretProblem(one);
        if (problem !== null)
            throw new TypeError(`the webhook secret ${problem}; is its environment variable set?`);
    }
    return secrets;
}
function secretProblem(secret) {
    if (typeof secret !== "string")
        return `is ${secret === null ? "null" : typeof secret}, not a text`;
    if ([...secret].length < secretLengthMin)
        return `has fewer than ${secretLengthMin} characters`;
    if (secret.trim() === "")
        return "is blank";
    if (!secret.startsWith("whsec_"))
        return null;
    return /^[A-Za-z0-9+/]+={0,2}$/.test(secret.slice("whsec_".length)) ? null : "does not go on in base64 after whsec_";
}
function callOf(id, text) {
    const body = parsed(text);
    if (body.specversion === "1.0")
        return { kind: "event", id, event: body };
    if (typeof body.invocation_id === "string")
        return { kind: "scheduled", id, call: body };
    throw new WebhookError("the body is no call of the platform's");
}
function parsed(text) {
    try {
        const value = JSON.parse(text);
        if (typeof value === "object" && value !== null)
            return value;
    }
    catch {
        // Rethrown below with a reason.
    }
    throw new WebhookError("the body is no JSON object");
}
