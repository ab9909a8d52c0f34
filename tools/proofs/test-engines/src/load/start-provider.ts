import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, SignJWT } from "jose";

export type ProviderBehaviour = {
  /** Claims that contain a person's roles; by default a list named `roles`. */
  readonly claimsOf?: (role: string) => Readonly<Record<string, unknown>>;
  /** The only method of client authentication that the provider accepts. */
  readonly authMethod?: "client_secret_basic" | "client_secret_post";
  /** Number of seconds by which its clock is ahead. */
  readonly aheadSeconds?: number;
};

/** An OpenID Provider that signs in everyone as an operator, without showing a page. */
export type ProviderStandIn = {
  readonly issuer: string;
  /** Signs with a new key from now on, and responds to requests for its keys with an error page. */
  loseKeys(): Promise<void>;
  restoreKeys(): void;
  close(): Promise<void>;
};

type Key = { readonly privateKey: KeyObject; readonly publicKey: KeyObject; readonly kid: string };
type Begun = { readonly nonce: string; readonly challenge: string; readonly redirectUri: string };

const newKey = (): Key => ({ ...generateKeyPairSync("ec", { namedCurve: "P-256" }), kid: randomUUID() });

/** Parses HTTP Basic credentials: id and secret, each form-urlencoded (RFC 6749, 2.3.1). */
function readBasic(authorization = ""): string {
  const [, encoded = ""] = /^Basic (.+)$/.exec(authorization) ?? [];
  const parts = Buffer.from(encoded, "base64").toString().split(":");
  return parts.map((part) => decodeURIComponent(part.replaceAll("+", " "))).join(" ");
}

/** Starts a provider on a free port of 127.0.0.1. */
export async function startProvider({
  claimsOf = (role) => ({ roles: [role] }),
  authMethod = "client_secret_basic",
  aheadSeconds = 0,
  secret,
}: ProviderBehaviour & { readonly secret: string }): Promise<ProviderStandIn> {
  const codes = new Map<string, Begun>();
  let key = newKey();
  let areKeysReadable = true;
  let issuer = "";

  const json = (response: ServerResponse, status: number, body: object): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  const authorize = ({ searchParams: query }: URL, response: ServerResponse): void => {
    const code = randomUUID();
    const redirectUri = query.get("redirect_uri") ?? "";
    codes.set(code, { nonce: query.get("nonce") ?? "", challenge: query.get("code_challenge") ?? "", redirectUri });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    response.writeHead(303, { location: back.href }).end();
  };

  const isClient = (request: IncomingMessage, form: URLSearchParams): boolean => {
    const { authorization } = request.headers;
    if (authMethod === "client_secret_basic")
      return readBasic(authorization) === `console ${secret}` && !form.has("client_secret");
    return authorization === undefined && form.get("client_id") === "console" && form.get("client_secret") === secret;
  };

  const issueToken = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    if (!isClient(request, form)) return json(response, 401, { error: "invalid_client" });
    const code = form.get("code") ?? "";
    const begun = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (begun === undefined || begun.challenge !== challenge) return json(response, 400, { error: "invalid_grant" });
    const seconds = Math.floor(Date.now() / 1_000) + aheadSeconds;
    const claims = { sub: `person-${randomUUID()}`, name: "Load", nonce: begun.nonce, ...claimsOf("viewer") };
    const idToken = await new SignJWT({ iss: issuer, aud: "console", iat: seconds, exp: seconds + 600, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: key.kid })
      .sign(key.privateKey);
    json(response, 200, { access_token: randomUUID(), token_type: "Bearer", expires_in: 600, id_token: idToken });
  };

  const showKeys = async (response: ServerResponse): Promise<void> => {
    if (!areKeysReadable) {
      response.writeHead(503, { "content-type": "text/html" }).end("<h1>Service Unavailable</h1>");
      return;
    }
    json(response, 200, { keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: "ES256", use: "sig" }] });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", issuer);
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          token_endpoint_auth_methods_supported: [authMethod],
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["ES256"],
          code_challenge_methods_supported: ["S256"],
        });
      case "/authorize":
        return authorize(url, response);
      case "/token":
        return issueToken(request, response);
      case "/jwks":
        return showKeys(response);
      default:
        return json(response, 404, {});
    }
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    loseKeys: async () => {
      key = newKey();
      areKeysReadable = false;
    },
    restoreKeys: () => {
      areKeysReadable = true;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
