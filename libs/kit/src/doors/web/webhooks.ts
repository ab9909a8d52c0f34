/** The form and the signature of webhooks. What other packages may import; a module without a line here is the package's own. */
export { toCloudEvent } from "../../web/cloud-event.ts";
export { isSigningSecret, signatureHeaders } from "../../web/webhook-signature.ts";
