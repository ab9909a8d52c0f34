/** The form and the signature of webhooks. */
export { toCloudEvent } from "../../web/cloud-event.ts";
export { isSigningSecret, signatureHeaders } from "../../web/webhook-signature.ts";
