/** Calls to addresses that projects name. What other packages may import; a module without a line here is the package's own. */
export { checkOutboundUrl } from "../../web/check-outbound-url.ts";
export { createOutboundDispatcher } from "../../web/outbound-dispatcher.ts";
export { OutboundRefused, outboundPolicyOf } from "../../web/outbound-policy.ts";
export { retryAfterMs } from "../../web/retry-after.ts";
