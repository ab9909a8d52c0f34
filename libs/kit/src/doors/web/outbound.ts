/** Calls to addresses that projects choose. */
export { checkOutboundUrl } from "../../web/check-outbound-url.ts";
export { createOutboundDispatcher } from "../../web/outbound-dispatcher.ts";
export { OutboundRefused, outboundPolicyOf } from "../../web/outbound-policy.ts";
export { retryAfterMs } from "../../web/retry-after.ts";
