import * as openid from "openid-client";

const shownMax = 300;

/** What an identity provider gave as its reason, for the page and for the log. Null when it gave none. */
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
