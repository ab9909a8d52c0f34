import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { exportJWK, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { callAs, startIdentity, type TestIdentity } from "./start-identity.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
let issuer: string;
let provider: Server;
let identity: TestIdentity;
let connection: GrpcConnection;
let isProviderUp = true;
/** A response that replaces the provider's keys. */
let keysAnswer: { status: number; body: string } | null = null;
let keyReads = 0;

beforeAll(async () => {
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}`;
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "p", alg: "ES256" }] };
  provider = createServer((request, response) => {
    const answers: Record<string, unknown> = {
      "/.well-known/openid-configuration": { issuer, jwks_uri: `${issuer}/jwks` },
      "/jwks": jwks,
    };
    if (request.url === "/jwks") {
      keyReads += 1;
      if (keysAnswer !== null) {
        response.writeHead(keysAnswer.status, { "content-type": "text/html" }).end(keysAnswer.body);
        return;
      }
    }
    response.writeHead(isProviderUp ? 200 : 503, { "content-type": "application/json" });
    response.end(JSON.stringify(answers[request.url ?? ""]));
  });
  await new Promise<void>((resolve) => provider.listen(port, "127.0.0.1", resolve));
  identity = await startIdentity({ OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_IDS: "platformctl,console" });
  connection = connectGrpc({ address: `127.0.0.1:${identity.server.grpcPort}`, tls: null });
});
afterAll(async () => {
  connection.close();
  await identity.close();
  provider.close();
});

const nowSeconds = (): number => Math.floor(identity.clock.now().getTime() / 1000);
let serial = 0;
/** An ID token as the provider signs it. */
function idToken(claims: JWTPayload = {}, key = privateKey, kid = "p"): Promise<string> {
  serial += 1;
  const seconds = Math.floor(identity.clock.now().getTime() / 1000);
  const base = { iss: issuer, aud: "platformctl", sub: "ann", name: "Ann", roles: ["support"], jti: `${serial}` };
  return new SignJWT({ ...base, iat: seconds, exp: seconds + 600, ...claims })
    .setProtectedHeader({ alg: "ES256", kid })
    .sign(key);
}
const access = () => connection.service(OperatorAccessService);
const open = async (token: Promise<string> | string) =>
  access().createOperatorSession({ idToken: await token }, callAs(null));
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: { code: string }) => error.code,
  );

it("rejects a person while the provider does not respond, and admits them afterwards", async () => {
  isProviderUp = false;
  expect(await codeOf(open(idToken()))).toBe("dependency_unavailable");
  isProviderUp = true;
  expect(await codeOf(open(idToken()))).toBe("ok");
});

it("opens a session with the provider's roles, and every admin RPC accepts its assertions", async () => {
  const { session, sessionToken } = await open(idToken({ roles: ["operator", "unknown-role"] }));
  expect(session).toMatchObject({ subject: "ann", name: "Ann", roles: ["operator"] });
  const { assertion } = await access().createOperatorAssertion({ sessionToken }, callAs(null));
  const signedIn = connectGrpc({
    address: `127.0.0.1:${identity.server.grpcPort}`,
    tls: null,
    metadata: { authorization: `Bearer ${assertion}` },
  });
  const clients = signedIn.service(ProjectClientAdminService);
  const made = clients.createProjectClient({ name: "x", environment: "development", returnUris: [] }, callAs(null));
  expect(await codeOf(made)).toBe("ok");
  const refused = clients.issueProjectCredential({ projectClientId: "x", scopes: ["clients:read"] }, callAs(null));
  expect(await codeOf(refused)).toBe("permission_denied");
  signedIn.close();
});

it.each<[string, () => Promise<string> | string, string]>([
  [
    "forged with another key",
    () => idToken({}, generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey),
    "unauthenticated",
  ],
  ["of another issuer", () => idToken({ iss: "https://evil.example" }), "unauthenticated"],
  ["for another application", () => idToken({ aud: "shop" }), "unauthenticated"],
  [
    "authorized for another application",
    () => idToken({ aud: ["platformctl", "shop"], azp: "shop" }),
    "unauthenticated",
  ],
  ["that has expired", () => idToken({ exp: Math.floor(Date.now() / 1000) - 60 }), "unauthenticated"],
  ["of an hour ago", () => idToken({ iat: Math.floor(Date.now() / 1000) - 3_600 }), "unauthenticated"],
  ["without any role that the platform knows", () => idToken({ roles: ["cook"] }), "permission_denied"],
  ["with a single role that the platform does not know", () => idToken({ roles: "cook" }), "permission_denied"],
  ["whose subject is empty", () => idToken({ sub: "" }), "unauthenticated"],
  [
    "whose subject is longer than the chain of actions keeps",
    () => idToken({ sub: "x".repeat(256) }),
    "unauthenticated",
  ],
  ["whose subject has a control character", () => idToken({ sub: "ann\u001b[2J" }), "unauthenticated"],
  ["that is not a JWT", () => "a.b.c", "unauthenticated"],
])("refuses to sign in with an ID token %s", async (_what, make, code) => {
  expect(await codeOf(open(make()))).toBe(code);
});

it("accepts the longest subject that OpenID Connect allows", async () => {
  expect(await codeOf(open(idToken({ sub: "x".repeat(255) })))).toBe("ok");
});

it.each<[string, (nowSeconds: number) => JWTPayload, string]>([
  ["accepts an ID token dated 60 s ahead, from a provider whose clock is fast", (now) => ({ iat: now + 60 }), "ok"],
  ["refuses an ID token dated 61 s ahead", (now) => ({ iat: now + 61 }), "unauthenticated"],
  ["accepts an ID token that expired four seconds ago", (now) => ({ exp: now - 4 }), "ok"],
  ["refuses an ID token that expired five seconds ago", (now) => ({ exp: now - 5 }), "unauthenticated"],
  ["accepts an ID token of ten minutes and five seconds ago", (now) => ({ iat: now - 605 }), "ok"],
  ["refuses an ID token of ten minutes and six seconds ago", (now) => ({ iat: now - 606 }), "unauthenticated"],
])("%s", async (_what, claims, code) => {
  // Otherwise, a token would age by a second or more before a busy service reads it.
  const seconds = nowSeconds();
  identity.clock.stopAt(new Date(seconds * 1_000));
  onTestFinished(identity.clock.resume);
  expect(await codeOf(open(idToken({ exp: seconds + 600, ...claims(seconds) })))).toBe(code);
});

it("reads roles from nested claims, from a single text and from mapped groups", async () => {
  const rolesWith = async (settings: Record<string, string>, claims: JWTPayload): Promise<readonly string[]> => {
    const other = await startIdentity({ OPERATOR_OIDC_ISSUER: issuer, ...settings });
    const to = connectGrpc({ address: `127.0.0.1:${other.server.grpcPort}`, tls: null });
    try {
      const token = await idToken(claims);
      const opened = await to.service(OperatorAccessService).createOperatorSession({ idToken: token }, callAs(null));
      return opened.session?.roles ?? [];
    } finally {
      to.close();
      await other.close();
    }
  };
  const nested = { roles: undefined, realm_access: { roles: ["operator", "offline_access"] } } as JWTPayload;
  expect(await rolesWith({ OPERATOR_OIDC_ROLES_CLAIM: "realm_access.roles" }, nested)).toEqual(["operator"]);
  const map = { OPERATOR_OIDC_ROLES_CLAIM: "groups", OPERATOR_OIDC_ROLE_MAP: '{"9f1c": ["support"]}' };
  expect(await rolesWith(map, { groups: "9f1c" })).toEqual(["support"]);
});

it("reports unreadable keys as an unavailable provider, and keeps using the last good keys", async () => {
  const other = await startIdentity({ OPERATOR_OIDC_ISSUER: issuer });
  const to = connectGrpc({ address: `127.0.0.1:${other.server.grpcPort}`, tls: null });
  const codeAt = async (make: () => Promise<string>) =>
    codeOf(to.service(OperatorAccessService).createOperatorSession({ idToken: await make() }, callAs(null)));
  for (keysAnswer of [
    { status: 503, body: "" },
    { status: 200, body: "<html>maintenance</html>" },
  ]) {
    expect(await codeAt(idToken)).toBe("dependency_unavailable");
  }
  keysAnswer = null;
  expect(await codeAt(idToken)).toBe("ok");
  keysAnswer = { status: 503, body: "" };
  expect(await codeAt(idToken)).toBe("ok");
  // A token signed with a key that has not been read yet may be valid.
  const rotated = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  expect(await codeAt(() => idToken({}, rotated, "rotated"))).toBe("dependency_unavailable");
  keysAnswer = null;
  to.close();
  await other.close();
});

it("looks up unknown keys at most once in five seconds, however many forged tokens arrive", async () => {
  const forger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  await codeOf(open(idToken()));
  const before = keyReads;
  for (let count = 0; count < 10; count += 1) await codeOf(open(idToken({}, forger, `forged-${count}`)));
  expect(keyReads - before).toBeLessThanOrEqual(2);
});

it("opens one session for an ID token, even if it is replayed concurrently", async () => {
  const token = await idToken();
  const codes = await Promise.all([codeOf(open(token)), codeOf(open(token)), codeOf(open(token))]);
  expect(codes.sort()).toEqual(["ok", "unauthenticated", "unauthenticated"]);
});

/** The order n of the group of P-256 (SEC 2, 2.4.2): if s is a signature of a statement, n−s is one as well. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const rewritten: readonly [string, (header: string, payload: string, signature: string) => string][] = [
  [
    "the other signature of ECDSA (r, n−s)",
    (header, payload, signature) => {
      const bytes = Buffer.from(signature, "base64url");
      const s = order - BigInt(`0x${bytes.subarray(32).toString("hex")}`);
      const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
      return `${header}.${payload}.${other.toString("base64url")}`;
    },
  ],
  [
    "other unused bits in the last character",
    (header, payload, signature) => {
      const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      const last = characters.indexOf(signature.at(-1) ?? "");
      return `${header}.${payload}.${signature.slice(0, -1)}${characters[last ^ 1]}`;
    },
  ],
  ["padding", (header, payload, signature) => `${header}.${payload}.${signature}==`],
  ["a space behind it", (header, payload, signature) => `${header}.${payload}.${signature} `],
  [
    "a line feed in it",
    (header, payload, signature) => `${header}.${payload}.${signature.slice(0, 9)}\n${signature.slice(9)}`,
  ],
];
it.each(rewritten)("opens no second session for an ID token that is replayed with %s", async (_what, rewrite) => {
  const token = await idToken();
  expect(await codeOf(open(token))).toBe("ok");
  const [header = "", payload = "", signature = ""] = token.split(".");
  expect(await codeOf(open(rewrite(header, payload, signature)))).toBe("unauthenticated");
});

it("refuses an ended session, an expired one, and a guessed secret", async () => {
  const { sessionToken } = await open(idToken());
  const assertionOf = (token: string) =>
    codeOf(access().createOperatorAssertion({ sessionToken: token }, callAs(null)));
  expect(await assertionOf(`${sessionToken.slice(0, -1)}${sessionToken.endsWith("0") ? "1" : "0"}`)).toBe(
    "unauthenticated",
  );
  expect(await assertionOf(sessionToken)).toBe("ok");
  await access().endOperatorSession({ sessionToken }, callAs(null));
  expect(await assertionOf(sessionToken)).toBe("unauthenticated");
  const second = await open(idToken());
  identity.clock.advanceSeconds(8 * 3_600 + 1);
  expect(await assertionOf(second.sessionToken)).toBe("unauthenticated");
});

it("reports a missing identity provider, and accepts the present and the previous operator token", async () => {
  const previous = "previous-operator-token-0123456789abcdef";
  const old = await startIdentity({ OPERATOR_TOKEN_PREVIOUS: previous });
  const anonymous = connectGrpc({ address: `127.0.0.1:${old.server.grpcPort}`, tls: null });
  expect(await codeOf(anonymous.service(OperatorAccessService).getOperatorSignIn({}, callAs(null)))).toBe(
    "operator_sign_in_not_configured",
  );
  anonymous.close();
  const codes: string[] = [];
  for (const token of [old.settings.OPERATOR_TOKEN, previous, "x".repeat(40)]) {
    const metadata = { authorization: `Bearer ${token}` };
    const operator = connectGrpc({ address: `127.0.0.1:${old.server.grpcPort}`, tls: null, metadata });
    codes.push(await codeOf(operator.service(ProjectClientAdminService).listProjectClients({}, callAs(null))));
    operator.close();
  }
  await old.close();
  expect(codes).toEqual(["ok", "ok", "unauthenticated"]);
});

it("reports in /readyz and the metrics whether the provider's keys can be read", async () => {
  const get = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${identity.server.probePort}${path}`)).text();
  const isShown = (value: number) => async (): Promise<boolean> =>
    new RegExp(`^platform_dependency_up\\{dependency="identity-provider".*\\} ${value}$`, "m").test(
      await get("/metrics"),
    );
  keysAnswer = { status: 503, body: "<h1>Service Unavailable</h1>" };
  await eventually(isShown(0));
  expect(await get("/readyz")).toContain("identity-provider: the keys were answered with 503");
  keysAnswer = null;
  await eventually(isShown(1));
});
