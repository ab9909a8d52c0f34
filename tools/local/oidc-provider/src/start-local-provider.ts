import { generateKeyPairSync, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import Provider, { type Configuration, interactionPolicy } from "oidc-provider";
import { page, signInPage } from "./pages.ts";
import type { Person } from "./people.ts";

export type LocalProvider = { readonly issuer: string; close(): Promise<void> };

type Options = {
  readonly port: number;
  readonly people: readonly Person[];
  readonly consoleRedirectUris: readonly string[];
  /** Seconds in which a device code can be confirmed; the default is 600. */
  readonly deviceCodeSeconds?: number;
};

/** Starts an OpenID Provider on loopback for the local stack and tests. Its keys and sessions are kept in memory, and are lost when the process ends. */
export async function startLocalProvider(options: Options): Promise<LocalProvider> {
  const issuer = `http://127.0.0.1:${options.port}`;
  const provider = new Provider(issuer, configuration(options));
  const serveProtocol = provider.callback();
  const server = createServer((request, response) => {
    const [, uid] = /^\/interaction\/([\w-]{1,100})$/.exec(request.url ?? "") ?? [];
    const work =
      uid === undefined ? serveProtocol(request, response) : signIn(provider, options.people, request, response);
    work.catch((error: Error) => {
      if (!response.headersSent) response.writeHead(400, { "content-type": "text/plain" });
      response.end(`${error.name}: ${error.message}\n`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  return {
    issuer,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves the sign-in page of an authorization in progress: GET shows it, and POST submits it. */
async function signIn(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { uid } = await provider.interactionDetails(request, response);
  const action = `/interaction/${uid}`;
  const show = (isRefused: boolean): void => {
    response.writeHead(isRefused ? 401 : 200, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
    });
    response.end(signInPage(action, isRefused));
  };
  if (request.method !== "POST") return show(false);
  const form = new URLSearchParams(await text(request));
  const person = people.find(({ subject }) => subject === form.get("username"));
  if (person === undefined || !isPassword(form.get("password") ?? "", person.password)) return show(true);
  await provider.interactionFinished(request, response, { login: { accountId: person.subject } });
}

function isPassword(given: string, password: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(password)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function configuration({ people, consoleRedirectUris, deviceCodeSeconds = 600 }: Options): Configuration {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signingKey = { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "local" };
  // All clients belong to the platform, so the provider never asks for consent, not even for native clients.
  const policy = interactionPolicy.base();
  policy.get("consent")?.checks.remove("native_client_prompt");
  const client = { token_endpoint_auth_method: "none", id_token_signed_response_alg: "ES256" } as const;
  return {
    clients: [
      {
        ...client,
        client_id: "platformctl",
        application_type: "native",
        grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
        // For a native client on loopback, the port is not compared (RFC 8252, 7.3).
        redirect_uris: ["http://127.0.0.1/callback"],
      },
      {
        ...client,
        client_id: "console",
        grant_types: ["authorization_code"],
        redirect_uris: [...consoleRedirectUris],
        post_logout_redirect_uris: consoleRedirectUris.map((uri) => new URL("/signed-out", uri).href),
      },
    ],
    jwks: { keys: [signingKey] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username", "roles"],
      email: ["email", "email_verified"],
    },
    // The ID token itself contains names, roles and addresses.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      DeviceCode: deviceCodeSeconds,
      IdToken: 600,
      Interaction: 600,
      Grant: 3_600,
      Session: 3_600,
    },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: async (ctx, form, _out, error) => {
          const refusal = error === undefined ? "" : '<p role="alert">That code is wrong, used or expired.</p>';
          const fields = '<button type="submit" form="op.deviceInputForm">Continue</button>';
          ctx.body = page("Enter the code", `${refusal}<p>Enter the code that platformctl shows.</p>${form}${fields}`);
        },
        userCodeConfirmSource: async (ctx, form, _client, _device, userCode) => {
          const buttons =
            '<button type="submit" form="op.deviceConfirmForm">Continue</button> <button type="submit" form="op.deviceConfirmForm" name="abort" value="yes">Cancel</button>';
          ctx.body = page(
            "Sign platformctl in?",
            `<p>The code it shows must be <strong>${userCode}</strong>.</p>${form}${buttons}`,
          );
        },
        successSource: async (ctx) => {
          ctx.body = page("Signed in", "<p>You can close this page and go on in the terminal.</p>");
        },
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (ctx, form) => {
          const button = '<button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>';
          ctx.body = page("Sign out here, too?", `${form}${button}`);
        },
        postLogoutSuccessSource: async (ctx) => {
          ctx.body = page("Signed out", "<p>You can close this page.</p>");
        },
      },
    },
    renderError: async (ctx, { error, error_description: description }) => {
      ctx.type = "html";
      ctx.body = page("This did not work", `<p>${error}</p><p>${(description ?? "").replaceAll("<", "&lt;")}</p>`);
    },
    interactions: { policy, url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, subject) => {
      const person = people.find((one) => one.subject === subject);
      if (person === undefined) return undefined;
      const { name, roles, email } = person;
      const vouchedFor = email === undefined ? {} : { email, email_verified: true };
      return {
        accountId: subject,
        claims: () => ({ sub: subject, name, preferred_username: subject, roles: [...roles], ...vouchedFor }),
      };
    },
    loadExistingGrant: async (ctx) => {
      const { client: asking, session, provider } = ctx.oidc;
      if (asking === undefined || session === undefined) return undefined;
      const grantId = session.grantIdFor(asking.clientId);
      if (grantId !== undefined) return provider.Grant.find(grantId);
      const grant = new provider.Grant({
        clientId: asking.clientId,
        ...(session.accountId && { accountId: session.accountId }),
      });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
  };
}
