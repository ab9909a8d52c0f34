import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ServiceClient } from "@platform/kit/rpc/client";
import type { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import * as openid from "openid-client";
import { afterEach, expect, test } from "vitest";
import { type ClientAuthMethod, chooseAuthMethod } from "./client-authentication.ts";
import { createIdentityProvider } from "./identity-provider.ts";
import { readProviderRefusal } from "./provider-refusal.ts";

test.each<[string, readonly string[] | undefined, ClientAuthMethod | null, ClientAuthMethod]>([
  ["Basic where the provider announces nothing", undefined, null, "client_secret_basic"],
  ["Basic where the provider announces it", ["client_secret_post", "client_secret_basic"], null, "client_secret_basic"],
  ["the form where it is all that is announced", ["client_secret_post"], null, "client_secret_post"],
  ["a signed assertion where it is announced", ["private_key_jwt", "client_secret_jwt"], null, "client_secret_jwt"],
  ["the configured method over the announced", ["client_secret_basic"], "client_secret_post", "client_secret_post"],
])("sends the client secret by %s", (_what, announced, configured, method) => {
  expect(chooseAuthMethod(announced, configured)).toBe(method);
});

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const refuseCode = (response: ServerResponse): void =>
  void response.writeHead(400).end(JSON.stringify({ error: "invalid_grant", error_description: "the code is over" }));

/**
 * Starts a provider that announces these methods and rejects codes. `tokenRequests` contains the requests to its token
 * endpoint.
 */
async function startProvider(methods: readonly string[], answerToken = refuseCode) {
  const tokenRequests: { authorization: string | undefined; body: string }[] = [];
  let issuer = "";
  server = createServer(async (request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url !== "/token") {
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      response.end(JSON.stringify({ issuer, ...endpoints, token_endpoint_auth_methods_supported: methods }));
      return;
    }
    tokenRequests.push({ authorization: request.headers.authorization, body: await text(request) });
    answerToken(response);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = { getOperatorSignIn: async () => ({ issuer, scope: "openid" }) };
  const provider = createIdentityProvider({
    clientId: "console",
    clientSecret: "a secret",
    authMethod: null,
    forMembers: false,
    redirectUri: "http://127.0.0.1/sign-in/callback",
    signedOutUri: "http://127.0.0.1/signed-out",
    access: access as unknown as ServiceClient<typeof OperatorAccessService>,
    context: () => ({ correlationId: "", operation: "test", projectClient: null, idempotency: null }),
  });
  return { provider, tokenRequests };
}

test("sends the secret in the form to a provider that announces only that method, and shows the provider's reason", async () => {
  const { provider, tokenRequests } = await startProvider(["client_secret_post"]);
  const { pending } = await provider.begin();
  const error: unknown = await provider.finish(`?code=x&state=${pending.state}`, pending).catch((reason) => reason);
  expect(tokenRequests).toHaveLength(1);
  expect(tokenRequests[0]?.authorization).toBeUndefined();
  expect(new URLSearchParams(tokenRequests[0]?.body).get("client_secret")).toBe("a secret");
  expect(readProviderRefusal(error)?.logged).toBe("invalid_grant: the code is over");
});

test.each<[string, (response: ServerResponse) => void]>([
  [
    "responds 503 with a page",
    (response) => response.writeHead(503, { "content-type": "text/html" }).end("<h1>no</h1>"),
  ],
  ["responds 200 with a page", (response) => response.setHeader("content-type", "text/html").end("<h1>no</h1>")],
  ["responds 500 with an error", (response) => response.writeHead(500).end(JSON.stringify({ error: "server_error" }))],
  ["hangs up", (response) => response.destroy()],
  ["hangs up after half an answer", (response) => response.writeHead(200).write("{", () => response.destroy())],
])("reports the provider as unavailable if its token endpoint %s", async (_what, answer) => {
  const { provider } = await startProvider(["client_secret_post"], answer);
  const { pending } = await provider.begin();
  const finished = provider.finish(`?code=x&state=${pending.state}`, pending);
  await expect(finished).rejects.toMatchObject({ code: "dependency_unavailable" });
});

test("reports that a person cancelled the sign-in, with the provider's text", () => {
  const answer = new URLSearchParams({ error: "access_denied", error_description: "Not in group ops" });
  const refusal = readProviderRefusal(new openid.AuthorizationResponseError("", { cause: answer }));
  expect(refusal?.shown).toBe(
    "You cancelled the sign-in, or the identity provider does not let you use the console. It says: Not in group ops",
  );
  expect(refusal?.logged).toBe("access_denied: Not in group ops");
});

test("returns null for an error that the provider did not send", () => {
  expect(readProviderRefusal(new Error("state mismatch"))).toBeNull();
});
