import * as openid from "openid-client";
import { printable } from "../printable.ts";

/** The identity provider, as identity-svc reports it. */
export type SignIn = { readonly issuer: string; readonly clientId: string; readonly scope: string };

const isLoopback = (url: string): boolean => ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);

async function discover({ issuer, clientId }: SignIn): Promise<openid.Configuration> {
  // Plain HTTP is allowed only for this machine, where the local stack's provider runs.
  const execute = isLoopback(issuer) ? [openid.allowInsecureRequests] : [];
  return openid.discovery(new URL(issuer), clientId, undefined, openid.None(), { execute });
}

/**
 * Signs in by device code (RFC 8628): the person confirms a code in a browser on any machine.
 * @param show called with the address to open and the code that is shown there, both safe to print
 * @returns the ID token
 */
export async function signInByDeviceCode(
  signIn: SignIn,
  show: (device: { url: string; code: string }) => void,
): Promise<string> {
  const configuration = await discover(signIn);
  const device = await openid.initiateDeviceAuthorization(configuration, { scope: signIn.scope });
  show({
    url: printable(device.verification_uri_complete ?? device.verification_uri),
    code: printable(device.user_code),
  });
  const untilMs = performance.now() + device.expires_in * 1_000;
  const tokens = await openid.pollDeviceAuthorizationGrant(configuration, device).catch((error: unknown) => {
    throw deviceRefusal(error, untilMs);
  });
  return idTokenOf(tokens);
}

/** Returns why the sign-in by code failed, in words that explain what to do. */
function deviceRefusal(error: unknown, untilMs: number): unknown {
  const code = error instanceof openid.ResponseBodyError ? error.error : null;
  if (code === "access_denied") return new Error("the sign-in was cancelled in the browser");
  const isExpired = code === "expired_token" || performance.now() >= untilMs;
  return isExpired ? new Error("the code was not confirmed in time; run platformctl login again") : error;
}

/**
 * Signs in with a name and a password at the local stack's provider, whose pages are submitted without a browser
 * (authorization code with PKCE).
 * @returns the ID token
 */
export async function signInLocally(signIn: SignIn, username: string, password: string): Promise<string> {
  if (!isLoopback(signIn.issuer)) throw new Error("--as only works with a local stack; use platformctl login");
  const configuration = await discover(signIn);
  const redirectUri = "http://127.0.0.1/callback";
  const [verifier, state, nonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()];
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: signIn.scope,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  const answer = await followPages(url, redirectUri, new URLSearchParams({ username, password }));
  const tokens = await openid.authorizationCodeGrant(configuration, answer, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  });
  return idTokenOf(tokens);
}

/** Follows redirects with the provider's cookies, submits its sign-in page once, and returns the final redirect of the browser. */
async function followPages(start: URL, redirectUri: string, form: URLSearchParams): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let body: URLSearchParams | null = null;
  let isAnswered = false;
  for (let hops = 0; hops < 10; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(body === null ? {} : { method: "POST", body }),
    });
    await response.body?.cancel();
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) {
      if (!response.ok || isAnswered) throw new Error(`the provider refused the sign-in (${response.status})`);
      body = form;
      isAnswered = true;
      continue;
    }
    body = null;
    url = new URL(location, url);
    if (url.href.startsWith(redirectUri)) return url;
  }
  throw new Error("the provider redirects too often");
}

function idTokenOf({ id_token: idToken }: { readonly id_token?: string | undefined }): string {
  if (idToken === undefined) throw new Error("the provider answered without an ID token");
  return idToken;
}
