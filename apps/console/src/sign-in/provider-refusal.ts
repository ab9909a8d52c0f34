import * as openid from "openid-client";

const shownMax = 300;
/**
 * The library's error codes for a missing response, and for a response that is not JSON, such as a proxy's page or an
 * interrupted response.
 */
const outages: ReadonlySet<string | undefined> = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_PARSE_ERROR",
  "OAUTH_RESPONSE_IS_NOT_JSON",
]);

/** Returns the reason that an identity provider gave, for the page and for the log; null if it gave none. */
export function readProviderRefusal(error: unknown): { readonly shown: string; readonly logged: string } | null {
  if (!(error instanceof openid.AuthorizationResponseError) && !(error instanceof openid.ResponseBodyError))
    return null;
  const text = error.error_description ?? "";
  const logged = (text === "" ? error.error : `${error.error}: ${text}`).slice(0, shownMax);
  if (error.error === "access_denied") {
    const because = text === "" ? "" : ` It says: ${text.slice(0, shownMax)}`;
    return {
      shown: `You cancelled the sign-in, or the identity provider does not let you use the console.${because}`,
      logged,
    };
  }
  return { shown: `The identity provider refused the sign-in: ${logged}`, logged };
}

/**
 * Returns whether the provider could not respond, as opposed to rejecting the request. It could not be reached, did not
 * respond, or failed itself (5xx, a proxy's error page).
 */
export function isProviderOutage(error: unknown): boolean {
  if (error instanceof openid.ResponseBodyError) return error.status >= 500;
  // fetch throws a TypeError for every connection that fails.
  if (error instanceof TypeError) return error.message === "fetch failed";
  if (!(error instanceof openid.ClientError)) return false;
  if (outages.has(error.code)) return true;
  return error.cause instanceof Response && error.cause.status >= 500;
}
