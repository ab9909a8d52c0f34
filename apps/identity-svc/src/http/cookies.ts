import { type Cookies, createCookies } from "@platform/kit/web/http";

const forms = {
  platform_session: /^psess_[0-9a-f]{32}_[0-9a-f]{64}$/,
  /** Id of a continuation and the secret of the browser that is bound to it. */
  platform_continuation: /^[0-9a-f-]{36}\.[0-9a-f]{64}$/,
  platform_language: /^[A-Za-z-]{2,35}$/,
  /** Secret from which the tokens of forms are derived before a sign-in. */
  platform_visitor: /^[0-9a-f]{64}$/,
  /** Notice that the page after a redirect shows once. */
  platform_notice: /^[a-z_]{1,40}$/,
  /** Id of the erasure whose progress this browser may see. */
  platform_erasure: /^[0-9a-f-]{36}$/,
} as const;

export type HostedCookies = Cookies<keyof typeof forms>;

/** @param publicBaseUrl address of the hosted pages */
export const createHostedCookies = (publicBaseUrl: string): HostedCookies => createCookies(publicBaseUrl, forms);
